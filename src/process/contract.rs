//! Numbers that the checker and `cmc-preload.so` share, the layouts of the arena and of the log of
//! calls among them.
//! `build.rs` compiles this file too and writes it out as the preload's `contract.h`, where the
//! structures of the arena are held to it, so that the two cannot drift.

/// The path by which the environment names the preload; the checker opens the real file.
pub const PRELOAD_PATH: &str = "/cmc/cmc-preload.so";

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*

        /// Every number of this file with its name in `contract.h`.
        pub const NUMBERS: &[(&str, u64)] = &[$((concat!("CMC_", stringify!($name)), $value)),*];
    };
}

numbers! {
    /// Version of this contract; the preload says it in [`CALL_HELLO`].
    PROTOCOL: u64 = 4;
    /// System call number, unused by the kernel, by which the preload says that it is there:
    /// `(PROTOCOL, ARENA_BASE, ARENA_SIZE)`. It returns 0 when the program shall run, or
    /// [`HELLO_FORK`] or [`HELLO_PERMUTED`].
    CALL_HELLO: u64 = 0x0c4d_4301;
    /// The answer to a hello that asks the preload to fork a copy of the process with
    /// [`FORK_FLAGS`]; both then say hello again.
    HELLO_FORK: u64 = 1;
    /// The answer to a hello when the program shall run with [`PLACEMENT_PERMUTED`].
    HELLO_PERMUTED: u64 = 2;
    /// `CLONE_PARENT | SIGCHLD`: the copy is a child of the checker too.
    FORK_FLAGS: u64 = 0x8000 | 17;
    /// System call number by which the preload says that the arena is full: `(bytes asked for)`.
    CALL_ARENA_FULL: u64 = 0x0c4d_4302;
    /// System call number by which the preload says that the heap was misused:
    /// `(address, MISUSE_…)`.
    CALL_HEAP_MISUSE: u64 = 0x0c4d_4303;
    /// `free` or `realloc` of an address that is not the start of a live object.
    MISUSE_NOT_LIVE: u64 = 1;
    /// A byte behind an object was overwritten.
    MISUSE_OVERRUN: u64 = 2;
    /// System call number by which the preload asks for the file of its log, which the checker puts
    /// into the process as descriptor [`LOG_FD`]: `()`.
    CALL_LOG: u64 = 0x0c4d_4304;
    /// The descriptor of the log, until it is mapped.
    LOG_FD: u64 = 1023;

    /// Where the log is mapped: below the arena, out of the reach of objects that are overrun.
    LOG_BASE: u64 = 0x1cf9_8f00_0000;
    /// Bytes of the log.
    LOG_SIZE: u64 = 32768;
    /// Offset in the log of whether calls are answered inside of the process.
    LOG_AT_ARMED: u64 = 0;
    /// Of the number of bytes of entries.
    LOG_AT_USED: u64 = 8;
    /// Of the check over all entries, which starts as a number of the checker's.
    LOG_AT_CHECK: u64 = 16;
    /// Of the node's clock as `CLOCK_REALTIME` says it, in seconds.
    LOG_AT_SECONDS: u64 = 24;
    /// Of the same as `CLOCK_MONOTONIC` says it.
    LOG_AT_UPTIME: u64 = 32;
    /// Of the part of a second, in microseconds.
    LOG_AT_MICROSECONDS: u64 = 40;
    /// Of the number of the process.
    LOG_AT_IDENTITY: u64 = 48;
    /// Of the end of the stack, 0 where it is not known.
    LOG_AT_STACK_END: u64 = 56;
    /// Of the number of ranges.
    LOG_AT_RANGE_COUNT: u64 = 64;
    /// Of what each descriptor is, a byte of `LOG_FD_…` each.
    LOG_AT_KINDS: u64 = 72;
    /// Descriptors of which it is said what they are.
    LOG_KINDS: u64 = 256;
    /// Of the ranges of memory that the program may read: first address, first address behind it,
    /// whether it may be written.
    LOG_AT_RANGES: u64 = 328;
    /// Ranges that there is room for.
    LOG_RANGES: u64 = 48;
    /// Of the lowest byte of the stack that the preload uses while it looks at a call. It lies in the
    /// first page, with most of the entries of most steps.
    LOG_AT_OWN_STACK: u64 = 1536;
    /// Of the end of that stack.
    LOG_AT_OWN_STACK_END: u64 = 2560;
    /// Of the first entry.
    LOG_AT_ENTRIES: u64 = 2560;

    /// Words of an entry before its bytes: call number and number of bytes in one word, where the
    /// program goes on, six arguments, the answer.
    LOG_ENTRY_WORDS: u64 = 9;
    /// Bytes that a call takes or gives, at most.
    LOG_BYTES: u64 = 4096;
    /// What the check is multiplied by, word by word.
    LOG_CHECK_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Not open.
    LOG_FD_NONE: u64 = 0;
    /// Not answered for inside.
    LOG_FD_OTHER: u64 = 1;
    /// Output, reports and durable records.
    LOG_FD_SINK: u64 = 2;
    /// A socket that has become nothing yet.
    LOG_FD_FRESH: u64 = 3;
    /// A socket that listens.
    LOG_FD_LISTENING: u64 = 4;
    /// An end of a connection that may be written to.
    LOG_FD_CONNECTED: u64 = 5;
    /// An end of a connection that may not be written to any more.
    LOG_FD_SHUT: u64 = 6;
    /// Added to a socket that is bound to the node's port.
    LOG_FD_BOUND: u64 = 128;

    /// Where the arena starts: between where programs and their break lie and where the kernel maps
    /// from, and such that no half of an address of the arena is a likely number or text, for a
    /// reader that finds pointers by their value. The upper half is 7417, with a control character
    /// and a byte that no UTF-8 has; the lower half is a negative integer, or a float of 1e-29 to
    /// 1e-20, and no byte with which the heap is filled comes first in it.
    ARENA_BASE: u64 = 0x1cf9_9000_0000;
    /// Bytes of address space that the arena reserves.
    ARENA_SIZE: u64 = 256 << 20;
    /// The word at [`ARENA_BASE`] that marks an arena.
    ARENA_MAGIC: u64 = 0x616e_6572_6143_6d63;
    /// Offset in the arena of the word that says how many bytes from [`ARENA_BASE`] are in use; what
    /// lies behind has never been touched.
    ARENA_USED: u64 = 8;

    /// Bytes of a page.
    PAGE: u64 = 4096;
    /// Every object starts on a multiple of this.
    ALIGN: u64 = 16;
    /// Bytes behind every object that belong to no object.
    GAP: u64 = 16;
    /// The largest object that shares its pages with others.
    SMALL_MAX: u64 = 2048;
    /// Classes of sizes of small objects.
    CLASSES: u64 = 24;
    /// Pages that one table of page records covers: a table is one page.
    TABLE_PAGES: u64 = 256;
    /// What a byte holds that malloc gave and nobody has written.
    FILL_NEW: u64 = 0xa5;
    /// What a byte holds that was given back.
    FILL_FREE: u64 = 0xdb;
    /// What a byte between objects holds.
    FILL_GAP: u64 = 0xe7;

    /// Every object at the lowest place where it fits.
    PLACEMENT_FIRST: u64 = 0;
    /// Every object elsewhere, and in another order.
    PLACEMENT_PERMUTED: u64 = 1;

    /// Offset in the header, which is page 0, of the lock: 0 whenever the program is in a call.
    HEADER_AT_LOCK: u64 = 16;
    /// Of the placement.
    HEADER_AT_PLACEMENT: u64 = 20;
    /// Of the first page that is placed so; what lies before it is older, and never given again.
    HEADER_AT_PLACED: u64 = 24;
    /// Of the page of the lowest free run.
    HEADER_AT_FREE_FIRST: u64 = 28;
    /// Of the offset where the next slab record goes.
    HEADER_AT_META_NEXT: u64 = 32;
    /// Of the offset where the pages for slab records end.
    HEADER_AT_META_END: u64 = 36;
    /// Of the offsets, by class, of the slot given back last.
    HEADER_AT_CLASS_FREE: u64 = 40;
    /// Of the offsets, by class, of the record of the newest slab.
    HEADER_AT_CLASS_SLAB: u64 = 136;
    /// Of the number of tables of page records.
    HEADER_AT_TABLES: u64 = 232;
    /// Of the offsets of the tables.
    HEADER_AT_TABLE: u64 = 236;

    /// Bytes of a page record.
    RECORD_BYTES: u64 = 16;
    /// Offset in a page record of its kind, one of `PAGE_…`.
    RECORD_AT_KIND: u64 = 0;
    /// Of the number of pages of the object or free run that starts here.
    RECORD_AT_SPAN: u64 = 4;
    /// Of what it refers to, by kind.
    RECORD_AT_REF: u64 = 8;
    /// Of the bytes from the start of the page to the object's.
    RECORD_AT_LEAD: u64 = 12;
    /// Of whether the object was made with an alignment of its own.
    RECORD_AT_ALIGNED: u64 = 14;
    /// Not in use, or inside a free run.
    PAGE_NONE: u64 = 0;
    /// Header, page records, slab records.
    PAGE_META: u64 = 1;
    /// Of a slab; refers to the offset of its record.
    PAGE_SLAB: u64 = 2;
    /// The first page of one object; refers to the bytes asked for.
    PAGE_LARGE: u64 = 3;
    /// A later page of one object; refers to its first page.
    PAGE_BODY: u64 = 4;
    /// The first page of a free run; refers to the first page of the next.
    PAGE_FREE: u64 = 5;

    /// Bytes of a slab record before those of its slots.
    SLAB_BYTES: u64 = 16;
    /// Offset in a slab record of the offset of slot 0.
    SLAB_AT_START: u64 = 0;
    /// Of the bytes from slot to slot: those of the class and the gap.
    SLAB_AT_STRIDE: u64 = 4;
    /// Of its class.
    SLAB_AT_CLASS: u64 = 8;
    /// Of the number of its slots.
    SLAB_AT_SLOTS: u64 = 10;
    /// Of the number of slots that were ever given.
    SLAB_AT_TAKEN: u64 = 12;
    /// Of the number of slots that will ever be given.
    SLAB_AT_LIMIT: u64 = 14;

    /// Bytes of the record of a slot.
    SLOT_BYTES: u64 = 8;
    /// Offset in the record of a slot of: live, the bytes asked for; free, the offset of the slot
    /// given back before.
    SLOT_AT_SIZE_OR_NEXT: u64 = 0;
    /// Of: live, the bytes from the slot's start to the object's.
    SLOT_AT_LEAD: u64 = 4;
    /// Of its state, one of `SLOT_…`.
    SLOT_AT_STATE: u64 = 6;
    /// Of whether the object was made with an alignment of its own.
    SLOT_AT_ALIGNED: u64 = 7;
    /// Never given.
    SLOT_FRESH: u64 = 0;
    /// An object.
    SLOT_LIVE: u64 = 1;
    /// Given back.
    SLOT_FREE: u64 = 2;
}
