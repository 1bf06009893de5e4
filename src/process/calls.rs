//! The call table: every system call that the front end knows, once. The filter, decoding, copying
//! in and out, printing and the page docs/CALLS.md follow from it. A call that is not here is not
//! modelled: the default of the filter is user notification, and the supervisor refuses it by name.

use super::kernel_state::KernelState;

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The filter lets it run: it touches nothing but the node's own memory.
    Allowed,
    /// The supervisor answers it, by the handler of this name.
    Answered(Handler),
    /// It is an error; the advice says what to do instead.
    Refused(&'static str),
}

/// Who answers a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// `socket`
    Socket,
    /// `bind`
    Bind,
    /// `listen`
    Listen,
    /// `accept`, `accept4`
    Accept,
    /// `connect`
    Connect,
    /// `shutdown`
    Shutdown,
    /// `setsockopt`
    SetOption,
    /// `getsockopt`
    GetOption,
    /// `getsockname`
    OwnName,
    /// `getpeername`
    PeerName,
    /// `read`
    Read,
    /// `readv`
    ReadVector,
    /// `recvfrom`
    Receive,
    /// `write`
    Write,
    /// `writev`
    WriteVector,
    /// `sendto`
    Send,
    /// `close`
    Close,
    /// `fcntl`
    Control,
    /// `ioctl`
    DeviceControl,
    /// `lseek`
    Seek,
    /// `fstat`, and `newfstatat` of a descriptor
    Status,
    /// `openat`, `open`
    Open,
    /// `access`
    Access,
    /// `clock_gettime`, `clock_getres`
    Clock,
    /// `gettimeofday`
    TimeOfDay,
    /// `time`
    Time,
    /// `getrandom`
    Random,
    /// `exit`, `exit_group`
    Exit,
    /// `kill`, `tkill`, `tgkill`
    Kill,
    /// `rt_sigaction`
    SignalAction,
    /// `rt_sigprocmask`
    SignalMask,
    /// `sigaltstack`
    AlternateStack,
    /// `mmap`, `munmap`
    Map,
    /// `brk`
    Break,
    /// `umask`
    FileMask,
    /// `mprotect`
    Protect,
    /// `madvise`
    Advise,
    /// `arch_prctl`
    ThreadPointer,
    /// `rt_sigreturn`
    SignalReturn,
    /// `prlimit64`
    ResourceLimit,
    /// `futex`
    Futex,
    /// `execve`
    Execute,
    /// calls whose answer is one fixed number
    Fixed(i64),
    /// `uname`
    Uname,
    /// `sysinfo`
    SystemInformation,
    /// `getcwd`
    WorkingDirectory,
    /// the number for a thread or process
    Identity,
    /// `clone`, `clone3`, `fork`, `vfork`
    Fork,
    /// the preload's own calls
    Preload,
}

/// What an argument is, and which way its bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A signed number of this many bits.
    Signed(u8),
    /// An unsigned number of this many bits, printed in decimal.
    Unsigned(u8),
    /// Flags of this many bits, printed in hexadecimal.
    Flags(u8),
    /// A descriptor.
    Descriptor,
    /// An address that is not followed.
    Address,
    /// A string that ends with a zero byte, read by the call.
    Path,
    /// Memory read by the call.
    In(Length),
    /// Memory written by the call.
    Out(Length),
}

/// How long the memory behind an argument is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// This many.
    Bytes(usize),
    /// As many as the argument with this index says.
    Argument(u8),
    /// As many as the 32-bit number that the argument with this index points to says.
    Pointed(u8),
    /// A vector of as many `struct iovec` as the argument with this index says.
    Vector(u8),
}

/// One argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name in the manual page of the call.
    pub name: &'static str,
    /// What it is.
    pub shape: Shape,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Its number on x86-64.
    pub number: i64,
    /// Its name.
    pub name: &'static str,
    /// What it is about; groups the rows of docs/CALLS.md.
    pub family: &'static str,
    /// Its arguments, in order.
    pub arguments: &'static [Argument],
    /// What happens to it.
    pub treatment: Treatment,
    /// What a user should know of how it is answered.
    pub note: &'static str,
}

const fn arg(name: &'static str, shape: Shape) -> Argument {
    Argument { name, shape }
}

use Handler as H;
use Length::{Argument as Of, Bytes, Pointed, Vector};
use Shape::{Address, Descriptor, Flags, In, Out, Path, Signed, Unsigned};
use Treatment::{Allowed, Answered, Refused};

const FD: Argument = arg("fd", Descriptor);
const SOCKET: &[Argument] =
    &[arg("domain", Signed(32)), arg("type", Flags(32)), arg("protocol", Signed(32))];
const NAMED: &[Argument] = &[FD, arg("addr", In(Of(2))), arg("addrlen", Unsigned(32))];
const NAME_OUT: &[Argument] = &[FD, arg("addr", Out(Pointed(2))), arg("addrlen", Out(Bytes(4)))];
const NONE: &[Argument] = &[];
const PREAD: &[Argument] =
    &[FD, arg("buf", Out(Of(2))), arg("count", Unsigned(64)), arg("offset", Signed(64))];

const EVENTS: &str = "event loops are not modelled: use blocking accept and read, with SO_RCVTIMEO \
                      for time-outs";
const DATAGRAMS: &str = "only stream sockets are modelled, and on them read, write, recv, send, \
                         readv and writev";
const FILES: &str = "files are not modelled: keep what must survive a crash in records on \
                     descriptor 193";
const SLEEP: &str = "only waits on sockets are modelled: use SO_RCVTIMEO on accept or read";
const PROCESSES: &str = "a node is one process: start it in the foreground, without helpers";
const RING: &str = "io_uring is not modelled: use the plain calls (most libraries have a switch)";
const IDENTITY: &str = "a node keeps the identity that it was started with";

macro_rules! call {
    ($number:expr, $name:literal, $family:literal, $arguments:expr, $treatment:expr, $note:literal) => {
        Call {
            number: $number,
            name: $name,
            family: $family,
            arguments: $arguments,
            treatment: $treatment,
            note: $note,
        }
    };
}

/// Every call that the front end knows, one a line.
#[rustfmt::skip]
pub static CALLS: &[Call] = &[
    // sockets
    call!(libc::SYS_socket, "socket", "sockets", SOCKET, Answered(H::Socket), "AF_INET, SOCK_STREAM; SOCK_NONBLOCK is an error"),
    call!(libc::SYS_bind, "bind", "sockets", NAMED, Answered(H::Bind), "the node's own port; the address is not looked at"),
    call!(libc::SYS_listen, "listen", "sockets", &[FD, arg("backlog", Signed(32))], Answered(H::Listen), "the backlog argument is ignored"),
    call!(libc::SYS_accept, "accept", "sockets", NAME_OUT, Answered(H::Accept), "waits for ACCEPT; the peer's address is 127.0.0.1:49152 whoever dialled"),
    call!(libc::SYS_accept4, "accept4", "sockets", &[FD, arg("addr", Out(Pointed(2))), arg("addrlen", Out(Bytes(4))), arg("flags", Flags(32))], Answered(H::Accept), "as accept; SOCK_NONBLOCK is an error"),
    call!(libc::SYS_connect, "connect", "sockets", NAMED, Answered(H::Connect), "never fails in message mode; the port must belong to a node"),
    call!(libc::SYS_shutdown, "shutdown", "sockets", &[FD, arg("how", Signed(32))], Answered(H::Shutdown), "SHUT_WR shows as EOF at the other end"),
    call!(libc::SYS_setsockopt, "setsockopt", "sockets", &[FD, arg("level", Signed(32)), arg("optname", Signed(32)), arg("optval", In(Of(4))), arg("optlen", Unsigned(32))], Answered(H::SetOption), "SO_RCVTIMEO enables TIMEOUT; other known options are remembered"),
    call!(libc::SYS_getsockopt, "getsockopt", "sockets", &[FD, arg("level", Signed(32)), arg("optname", Signed(32)), arg("optval", Out(Pointed(4))), arg("optlen", Out(Bytes(4)))], Answered(H::GetOption), "what was set, or a fixed default; SO_ERROR is 0"),
    call!(libc::SYS_getsockname, "getsockname", "sockets", NAME_OUT, Answered(H::OwnName), "127.0.0.1 and the node's port; 49152 for a socket that dialled"),
    call!(libc::SYS_getpeername, "getpeername", "sockets", NAME_OUT, Answered(H::PeerName), "127.0.0.1 and the port that was dialled; 49152 for an accepted socket"),
    // descriptors
    call!(libc::SYS_read, "read", "descriptors", &[FD, arg("buf", Out(Of(2))), arg("count", Unsigned(64))], Answered(H::Read), "on a connection waits for DELIVER, EOF or TIMEOUT"),
    call!(libc::SYS_readv, "readv", "descriptors", &[FD, arg("iov", Out(Vector(2))), arg("iovcnt", Signed(32))], Answered(H::ReadVector), "as read"),
    call!(libc::SYS_recvfrom, "recvfrom", "descriptors", &[FD, arg("buf", Out(Of(2))), arg("len", Unsigned(64)), arg("flags", Flags(32)), arg("src_addr", Address), arg("addrlen", Address)], Answered(H::Receive), "as read, without flags and without an address"),
    call!(libc::SYS_write, "write", "descriptors", &[FD, arg("buf", In(Of(2))), arg("count", Unsigned(64))], Answered(H::Write), "one message; to 1 and 2 captured, to 3 a report, to 193 a durable record"),
    call!(libc::SYS_writev, "writev", "descriptors", &[FD, arg("iov", In(Vector(2))), arg("iovcnt", Signed(32))], Answered(H::WriteVector), "as write: one message"),
    call!(libc::SYS_sendto, "sendto", "descriptors", &[FD, arg("buf", In(Of(2))), arg("len", Unsigned(64)), arg("flags", Flags(32)), arg("dest_addr", Address), arg("addrlen", Unsigned(32))], Answered(H::Send), "as write; the only flag is MSG_NOSIGNAL"),
    call!(libc::SYS_close, "close", "descriptors", &[FD], Answered(H::Close), "shows as EOF at the other end"),
    call!(libc::SYS_fcntl, "fcntl", "descriptors", &[FD, arg("cmd", Signed(32)), arg("arg", Flags(64))], Answered(H::Control), "F_GETFD, F_SETFD, F_GETFL, F_SETFL without O_NONBLOCK"),
    call!(libc::SYS_ioctl, "ioctl", "descriptors", &[FD, arg("request", Flags(64)), arg("argp", Address)], Answered(H::DeviceControl), "no descriptor is a terminal"),
    call!(libc::SYS_lseek, "lseek", "descriptors", &[FD, arg("offset", Signed(64)), arg("whence", Signed(32))], Answered(H::Seek), "no descriptor of a node can seek"),
    call!(libc::SYS_fstat, "fstat", "descriptors", &[FD, arg("statbuf", Out(Bytes(144)))], Answered(H::Status), "fixed values"),
    call!(libc::SYS_newfstatat, "newfstatat", "descriptors", &[arg("dirfd", Descriptor), arg("pathname", Path), arg("statbuf", Out(Bytes(144))), arg("flags", Flags(32))], Answered(H::Status), "of an open descriptor; of a path only while the loader runs"),
    call!(libc::SYS_sendmsg, "sendmsg", "descriptors", &[FD, arg("msg", Address), arg("flags", Flags(32))], Refused(DATAGRAMS), ""),
    call!(libc::SYS_recvmsg, "recvmsg", "descriptors", &[FD, arg("msg", Address), arg("flags", Flags(32))], Refused(DATAGRAMS), ""),
    call!(libc::SYS_dup, "dup", "descriptors", &[FD], Refused("two descriptors for one connection are not modelled"), ""),
    call!(libc::SYS_dup2, "dup2", "descriptors", &[FD, arg("newfd", Descriptor)], Refused("two descriptors for one connection are not modelled"), ""),
    call!(libc::SYS_pipe2, "pipe2", "descriptors", &[arg("pipefd", Address), arg("flags", Flags(32))], Refused("pipes are not modelled"), ""),
    call!(libc::SYS_socketpair, "socketpair", "descriptors", SOCKET, Refused("socket pairs are not modelled"), ""),
    call!(libc::SYS_poll, "poll", "descriptors", &[arg("fds", Address), arg("nfds", Unsigned(64)), arg("timeout", Signed(32))], Refused(EVENTS), ""),
    call!(libc::SYS_ppoll, "ppoll", "descriptors", &[arg("fds", Address), arg("nfds", Unsigned(64))], Refused(EVENTS), ""),
    call!(libc::SYS_select, "select", "descriptors", &[arg("nfds", Signed(32))], Refused(EVENTS), ""),
    call!(libc::SYS_pselect6, "pselect6", "descriptors", &[arg("nfds", Signed(32))], Refused(EVENTS), ""),
    call!(libc::SYS_epoll_create1, "epoll_create1", "descriptors", &[arg("flags", Flags(32))], Refused(EVENTS), ""),
    call!(libc::SYS_epoll_wait, "epoll_wait", "descriptors", &[arg("epfd", Descriptor)], Refused(EVENTS), ""),
    call!(libc::SYS_io_uring_setup, "io_uring_setup", "descriptors", &[arg("entries", Unsigned(32)), arg("params", Address)], Refused(RING), ""),
    call!(libc::SYS_io_uring_enter, "io_uring_enter", "descriptors", &[arg("fd", Descriptor)], Refused(RING), ""),
    call!(libc::SYS_io_uring_register, "io_uring_register", "descriptors", &[arg("fd", Descriptor)], Refused(RING), ""),
    // files
    call!(libc::SYS_openat, "openat", "files", &[arg("dirfd", Descriptor), arg("pathname", Path), arg("flags", Flags(32)), arg("mode", Flags(32))], Answered(H::Open), "for reading, while the loader runs; files of time zones do not exist"),
    call!(libc::SYS_open, "open", "files", &[arg("pathname", Path), arg("flags", Flags(32)), arg("mode", Flags(32))], Answered(H::Open), "for reading, while the loader runs; files of time zones do not exist"),
    call!(libc::SYS_access, "access", "files", &[arg("pathname", Path), arg("mode", Flags(32))], Answered(H::Access), "while the loader runs: there is no such file"),
    call!(libc::SYS_pread64, "pread64", "files", PREAD, Allowed, "of the loader's own files"), call!(libc::SYS_getcwd, "getcwd", "files", &[arg("buf", Out(Of(1))), arg("size", Unsigned(64))], Answered(H::WorkingDirectory), "always /"),
    call!(libc::SYS_umask, "umask", "files", &[arg("mask", Flags(32))], Answered(H::FileMask), "kept and given back; nothing is created"),
    call!(libc::SYS_unlink, "unlink", "files", &[arg("pathname", Path)], Refused(FILES), ""), call!(libc::SYS_rename, "rename", "files", &[arg("oldpath", Path), arg("newpath", Path)], Refused(FILES), ""),
    call!(libc::SYS_mkdir, "mkdir", "files", &[arg("pathname", Path), arg("mode", Flags(32))], Refused(FILES), ""),
    call!(libc::SYS_fsync, "fsync", "files", &[FD], Refused(FILES), ""), call!(libc::SYS_ftruncate, "ftruncate", "files", &[FD, arg("length", Signed(64))], Refused(FILES), ""),
    // time and chance
    call!(libc::SYS_clock_gettime, "clock_gettime", "time and chance", &[arg("clockid", Signed(32)), arg("tp", Out(Bytes(16)))], Answered(H::Clock), "the node's clock; processor-time clocks stand at 0"),
    call!(libc::SYS_clock_getres, "clock_getres", "time and chance", &[arg("clockid", Signed(32)), arg("res", Out(Bytes(16)))], Answered(H::Clock), "1 ns"),
    call!(libc::SYS_gettimeofday, "gettimeofday", "time and chance", &[arg("tv", Out(Bytes(16))), arg("tz", Address)], Answered(H::TimeOfDay), "the node's clock"),
    call!(libc::SYS_time, "time", "time and chance", &[arg("tloc", Out(Bytes(8)))], Answered(H::Time), "the node's clock"),
    call!(libc::SYS_getrandom, "getrandom", "time and chance", &[arg("buf", Out(Of(1))), arg("buflen", Unsigned(64)), arg("flags", Flags(32))], Answered(H::Random), "a function of node, boot and position"),
    call!(libc::SYS_nanosleep, "nanosleep", "time and chance", &[arg("req", Address), arg("rem", Address)], Refused(SLEEP), ""),
    call!(libc::SYS_clock_nanosleep, "clock_nanosleep", "time and chance", &[arg("clockid", Signed(32)), arg("flags", Flags(32))], Refused(SLEEP), ""),
    call!(libc::SYS_pause, "pause", "time and chance", NONE, Refused(SLEEP), ""), call!(libc::SYS_alarm, "alarm", "time and chance", &[arg("seconds", Unsigned(32))], Refused(SLEEP), ""),
    call!(libc::SYS_setitimer, "setitimer", "time and chance", &[arg("which", Signed(32))], Refused(SLEEP), ""),
    // process
    call!(libc::SYS_execve, "execve", "process", &[arg("pathname", Path), arg("argv", Address), arg("envp", Address)], Answered(H::Execute), "the checker's own start of the node, once"),
    call!(libc::SYS_exit, "exit", "process", &[arg("status", Signed(32))], Answered(H::Exit), "the node has exited"),
    call!(libc::SYS_exit_group, "exit_group", "process", &[arg("status", Signed(32))], Answered(H::Exit), "the node has exited"),
    call!(libc::SYS_kill, "kill", "process", &[arg("pid", Signed(32)), arg("sig", Signed(32))], Answered(H::Kill), "itself, with a fatal signal"),
    call!(libc::SYS_tkill, "tkill", "process", &[arg("tid", Signed(32)), arg("sig", Signed(32))], Answered(H::Kill), "itself, with a fatal signal"),
    call!(libc::SYS_tgkill, "tgkill", "process", &[arg("tgid", Signed(32)), arg("tid", Signed(32)), arg("sig", Signed(32))], Answered(H::Kill), "itself, with a fatal signal"),
    call!(libc::SYS_rt_sigaction, "rt_sigaction", "process", &[arg("signum", Signed(32)), arg("act", In(Bytes(32))), arg("oldact", Out(Bytes(32))), arg("sigsetsize", Unsigned(64))], Answered(H::SignalAction), "the kernel keeps it, the local state records it"),
    call!(libc::SYS_rt_sigprocmask, "rt_sigprocmask", "process", &[arg("how", Signed(32)), arg("set", In(Bytes(8))), arg("oldset", Out(Bytes(8))), arg("sigsetsize", Unsigned(64))], Answered(H::SignalMask), "the kernel keeps it, the local state records it"),
    call!(libc::SYS_sigaltstack, "sigaltstack", "process", &[arg("ss", In(Bytes(24))), arg("old_ss", Out(Bytes(24)))], Answered(H::AlternateStack), "kept and given back; handlers run on the stack that they interrupt"),
    call!(libc::SYS_rt_sigreturn, "rt_sigreturn", "process", NONE, Answered(H::SignalReturn), "the end of a handler that ran by a fault"), call!(libc::SYS_restart_syscall, "restart_syscall", "process", NONE, Allowed, ""), call!(libc::SYS_getpid, "getpid", "process", NONE, Answered(H::Identity), "1000 + node number"), call!(libc::SYS_gettid, "gettid", "process", NONE, Answered(H::Identity), "1000 + node number"), call!(libc::SYS_set_tid_address, "set_tid_address", "process", &[arg("tidptr", Address)], Answered(H::Identity), "1000 + node number"),
    call!(libc::SYS_getppid, "getppid", "process", NONE, Answered(H::Fixed(1)), ""), call!(libc::SYS_getuid, "getuid", "process", NONE, Answered(H::Fixed(1000)), ""), call!(libc::SYS_geteuid, "geteuid", "process", NONE, Answered(H::Fixed(1000)), ""), call!(libc::SYS_getgid, "getgid", "process", NONE, Answered(H::Fixed(1000)), ""), call!(libc::SYS_getegid, "getegid", "process", NONE, Answered(H::Fixed(1000)), ""), call!(libc::SYS_getpgrp, "getpgrp", "process", NONE, Answered(H::Identity), "1000 + node number"),
    call!(libc::SYS_sched_yield, "sched_yield", "process", NONE, Answered(H::Fixed(0)), ""), call!(libc::SYS_set_robust_list, "set_robust_list", "process", &[arg("head", Address), arg("len", Unsigned(64))], Answered(H::Fixed(0)), "there is one thread"),
    call!(libc::SYS_rseq, "rseq", "process", &[arg("rseq", Address), arg("len", Unsigned(32))], Answered(H::Fixed(-(libc::ENOSYS as i64))), "not offered: it would show the processor number"),
    call!(libc::SYS_prlimit64, "prlimit64", "process", &[arg("pid", Signed(32)), arg("resource", Signed(32)), arg("new_limit", In(Bytes(16))), arg("old_limit", Out(Bytes(16)))], Answered(H::ResourceLimit), "reading only"),
    call!(libc::SYS_uname, "uname", "process", &[arg("buf", Out(Bytes(390)))], Answered(H::Uname), "fixed values"),
    call!(libc::SYS_sysinfo, "sysinfo", "process", &[arg("info", Out(Bytes(112)))], Answered(H::SystemInformation), "1 GiB of memory"),
    call!(libc::SYS_futex, "futex", "process", &[arg("uaddr", Address), arg("op", Flags(32)), arg("val", Unsigned(32))], Answered(H::Futex), "waking; waiting would be for ever"),
    call!(libc::SYS_clone, "clone", "process", &[arg("flags", Flags(64)), arg("stack", Address)], Answered(H::Fork), "a second thread or process is an error"),
    call!(libc::SYS_clone3, "clone3", "process", &[arg("cl_args", In(Bytes(8))), arg("size", Unsigned(64))], Answered(H::Fork), "a second thread or process is an error"),
    call!(libc::SYS_fork, "fork", "process", NONE, Answered(H::Fork), "a second process is an error"),
    call!(libc::SYS_vfork, "vfork", "process", NONE, Answered(H::Fork), "a second process is an error"),
    call!(libc::SYS_wait4, "wait4", "process", &[arg("pid", Signed(32))], Refused(PROCESSES), ""), call!(libc::SYS_setsid, "setsid", "process", NONE, Refused(PROCESSES), ""), call!(libc::SYS_prctl, "prctl", "process", &[arg("option", Signed(32)), arg("arg2", Flags(64))], Refused(IDENTITY), ""),
    call!(libc::SYS_ptrace, "ptrace", "process", &[arg("request", Signed(64)), arg("pid", Signed(32))], Refused(PROCESSES), ""),
    call!(libc::SYS_setuid, "setuid", "process", &[arg("uid", Unsigned(32))], Refused(IDENTITY), ""),
    call!(libc::SYS_setgid, "setgid", "process", &[arg("gid", Unsigned(32))], Refused(IDENTITY), ""),
    call!(libc::SYS_chdir, "chdir", "process", &[arg("path", Path)], Refused(FILES), ""),
    // memory
    call!(libc::SYS_brk, "brk", "memory", &[arg("addr", Address)], Answered(H::Break), "the kernel keeps it, up to the memory limit"),
    call!(libc::SYS_mmap, "mmap", "memory", &[arg("addr", Address), arg("length", Unsigned(64)), arg("prot", Flags(32)), arg("flags", Flags(32)), arg("fd", Descriptor), arg("offset", Signed(64))], Answered(H::Map), "the kernel keeps it, up to the memory limit; MAP_GROWSDOWN and other rare flags are not restorable"),
    call!(libc::SYS_munmap, "munmap", "memory", &[arg("addr", Address), arg("length", Unsigned(64))], Answered(H::Map), "the kernel keeps it"),
    call!(libc::SYS_mprotect, "mprotect", "memory", &[arg("addr", Address), arg("len", Unsigned(64)), arg("prot", Flags(32))], Answered(H::Protect), "the kernel does it"),
    call!(libc::SYS_madvise, "madvise", "memory", &[arg("addr", Address), arg("length", Unsigned(64)), arg("advice", Signed(32))], Answered(H::Advise), "the kernel takes it; MADV_FREE is ignored; advice that is more than a hint is not restorable"),
    call!(libc::SYS_arch_prctl, "arch_prctl", "memory", &[arg("code", Flags(32)), arg("addr", Address)], Answered(H::ThreadPointer), "the thread pointer, which is a register; other codes are not restorable"),
    // the preload
    call!(super::contract::CALL_HELLO as i64, "cmc_hello", "preload", &[arg("protocol", Unsigned(64)), arg("arena", Address), arg("size", Unsigned(64))], Answered(H::Preload), "the preload is there"),
    call!(super::contract::CALL_LOG as i64, "cmc_log", "preload", NONE, Answered(H::Preload), "the preload maps the log of what it answers inside of the process"),
    call!(super::contract::CALL_ARENA_FULL as i64, "cmc_arena_full", "preload", &[arg("bytes", Unsigned(64))], Answered(H::Preload), "the heap is used up"),
    call!(super::contract::CALL_HEAP_MISUSE as i64, "cmc_heap_misuse", "preload", &[arg("address", Address), arg("kind", Unsigned(64))], Answered(H::Preload), "the heap was misused"),
];

/// What the preload answers inside of the process, where it is known how that ends.
const INSIDE: [i64; 12] = [
    libc::SYS_write,
    libc::SYS_close,
    libc::SYS_getpid,
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_sendto,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_setsockopt,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_clock_gettime,
];

impl Call {
    /// Whether it may be answered inside of the process.
    pub fn is_answered_inside(&self) -> bool {
        INSIDE.contains(&self.number)
    }
}

/// The row of call `number`.
pub fn find(number: i64) -> Option<&'static Call> {
    CALLS.iter().find(|call| call.number == number)
}

/// The page docs/CALLS.md.
pub fn page() -> String {
    let mut page = String::from(
        "# System calls\n\n\
         What happens to each system call of a node. The page is written from the call table; a call \
         that is not here is an error that names it.\n\n\
         *Kernel state changed* says where the outcome of a call is kept: *virtual*, by the checker or \
         nowhere; *tracked*, by the kernel, and the checker knows it, so that a process is put into a \
         local state only if its kernel state is the same; *not restorable*, by the kernel alone: from \
         such a call on a node is led to its local states by history, and the report says so.\n\n\
         *Answered inside*: the function of libc of this name is the preload's, which answers the \
         call without leaving the process where it is sure to succeed, and writes it down; the \
         checker answers it once more from there, by the same rules, and compares. By any other way \
         into the kernel the call is answered like all others.\n",
    );
    let mut family = "";
    for call in CALLS {
        if call.family != family {
            family = call.family;
            page.push_str(&format!(
                "\n## {family}\n\n| call | number | treatment | kernel state changed | note |\n\
                 |---|---|---|---|---|\n"
            ));
        }
        let (word, advice) = match call.treatment {
            Allowed => ("allowed", ""),
            Answered(_) if call.is_answered_inside() => ("answered inside", ""),
            Answered(_) => ("answered", ""),
            Refused(advice) => ("refused", advice),
        };
        let state = match call.kernel_state() {
            None => "",
            Some(KernelState::Virtual) => "virtual",
            Some(KernelState::Tracked) => "tracked",
            Some(KernelState::NotRestorable) => "not restorable",
        };
        let names: Vec<&str> = call.arguments.iter().map(|argument| argument.name).collect();
        page.push_str(&format!(
            "| `{}({})` | {} | {word} | {state} | {}{advice} |\n",
            call.name,
            names.join(", "),
            call.number,
            call.note
        ));
    }
    page
}
