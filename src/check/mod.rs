//! What to check, how, and what was found.
