//! A trace: the path to a world, and its text form.
