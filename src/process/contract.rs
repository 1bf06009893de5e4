//! Numbers that the checker and `cmc-preload.so` share. `build.rs` compiles this file too and writes
//! it out as the preload's `contract.h`, so that the two cannot drift.

/// Version of this contract; the preload says it in [`CALL_HELLO`].
pub const PROTOCOL: u64 = 2;
/// System call number, unused by the kernel, by which the preload says that it is there:
/// `(PROTOCOL, ARENA_BASE, ARENA_SIZE)`. It returns 0 when the program shall run, or [`HELLO_FORK`].
pub const CALL_HELLO: u64 = 0x0c4d_4301;
/// The answer to a hello that asks the preload to fork a copy of the process with
/// [`FORK_FLAGS`]; both then say hello again.
pub const HELLO_FORK: u64 = 1;
/// `CLONE_PARENT | SIGCHLD`: the copy is a child of the checker too.
pub const FORK_FLAGS: u64 = 0x8000 | 17;
/// System call number by which the preload says that the arena is full: `(bytes asked for)`.
pub const CALL_ARENA_FULL: u64 = 0x0c4d_4302;
/// System call number by which the preload says that the heap was misused:
/// `(address, MISUSE_…)`.
pub const CALL_HEAP_MISUSE: u64 = 0x0c4d_4303;
/// `free` or `realloc` of an address that is not the start of a live object.
pub const MISUSE_NOT_LIVE: u64 = 1;
/// A byte behind an object was overwritten.
pub const MISUSE_OVERRUN: u64 = 2;
/// Where the arena starts.
pub const ARENA_BASE: u64 = 0x6000_0000_0000;
/// Bytes of address space that the arena reserves.
pub const ARENA_SIZE: u64 = 256 << 20;
/// The word at [`ARENA_BASE`] that marks an arena.
pub const ARENA_MAGIC: u64 = 0x616e_6572_6143_6d63;
/// Offset in the arena of the word that says how many bytes from [`ARENA_BASE`] are in use; what
/// lies behind has never been touched.
pub const ARENA_USED: u64 = 8;
/// The path by which the environment names the preload; the checker opens the real file.
pub const PRELOAD_PATH: &str = "/cmc/cmc-preload.so";

/// Every number above with its name, for `contract.h`.
pub const NUMBERS: [(&str, u64); 12] = [
    ("CMC_PROTOCOL", PROTOCOL),
    ("CMC_CALL_HELLO", CALL_HELLO),
    ("CMC_HELLO_FORK", HELLO_FORK),
    ("CMC_FORK_FLAGS", FORK_FLAGS),
    ("CMC_CALL_ARENA_FULL", CALL_ARENA_FULL),
    ("CMC_CALL_HEAP_MISUSE", CALL_HEAP_MISUSE),
    ("CMC_MISUSE_NOT_LIVE", MISUSE_NOT_LIVE),
    ("CMC_MISUSE_OVERRUN", MISUSE_OVERRUN),
    ("CMC_ARENA_BASE", ARENA_BASE),
    ("CMC_ARENA_SIZE", ARENA_SIZE),
    ("CMC_ARENA_MAGIC", ARENA_MAGIC),
    ("CMC_ARENA_USED", ARENA_USED),
];
