//! The C library: what programs in C may call, a file for each section of `include/cmc.h`. The
//! header is generated from these files and says for each function which threads may call it. No
//! export lets a panic out. So far a caller learns the version, and checks nothing.

pub mod version;
