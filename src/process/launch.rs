//! Start a program as a node: under the filter, with everything pinned that could differ from one
//! run to the next (address layout, canary, vDSO, environment, limits), and bound to the life of the
//! thread that starts it. How it answers is not this file's business.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use super::memory::{LARGEST_MAPPED, Memory};
use super::notify::Listener;
use super::processor::Processor;
use crate::error::Error;

/// Bytes of stack of a node; pinned, because mappings are placed below it.
pub const STACK: u64 = 8 << 20;
/// Descriptors that the kernel lets a node have; the virtual ones are limited elsewhere.
const DESCRIPTORS: u64 = 1024;
/// Bytes of address space of a node: the arena, and more than it may map beside it, so that the
/// checker's own limit, which has a message, is met first.
const ADDRESS_SPACE: u64 = super::contract::ARENA_SIZE + 4 * LARGEST_MAPPED;
/// The sixteen bytes that the kernel would draw for canaries and pointer guards.
const RANDOM: [u8; 16] = *b"\0cmc fixed bytes";

/// What to start.
#[derive(Debug)]
pub struct Plan {
    /// The program, for `execve`.
    pub path: CString,
    /// `argv`.
    pub arguments: Vec<CString>,
    /// `envp`.
    pub environment: Vec<CString>,
    /// The working directory.
    pub directory: CString,
}

/// A started program, stopped in the first call that its loader makes.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    life: OwnedFd,
    /// Where its calls come from.
    pub listener: Arc<Listener>,
    /// Where its entry point was loaded.
    pub entry: u64,
    gone: bool,
    processor: Processor,
}

/// Steps of the child before `execve`, in order; the child says which one failed.
const STEPS: [(&str, &str); 8] = [
    ("prctl(PR_SET_PDEATHSIG)", "the host refuses it"),
    ("opening /dev/null", "a node needs it for descriptors 0 to 2"),
    ("chdir to the model file's directory", "it must be readable"),
    (
        "personality(ADDR_NO_RANDOMIZE)",
        "the host refuses a fixed address layout; in a container allow the personality call",
    ),
    ("setrlimit", "the hard limits of this session are too low: 8 MiB stack, 1024 files, 3 GiB"),
    ("prctl(PR_SET_NO_NEW_PRIVS)", "the host refuses it"),
    (
        "ptrace(PTRACE_TRACEME)",
        "the host refuses tracing; in a container add the capability SYS_PTRACE, or see \
         /proc/sys/kernel/yama/ptrace_scope",
    ),
    ("execve", "the program cannot be started"),
];

impl Process {
    /// Start `plan` under `filter`. The process dies when the calling thread ends.
    pub fn start(plan: &Plan, filter: &[libc::sock_filter]) -> Result<Self, Error> {
        let page = Page::new()
            .map_err(|error| Error::host("mmap", &error, "the host is out of memory"))?;
        let parent = Pid::this();
        let child = Child::prepare(plan, filter, &page, parent);
        // SAFETY: the child calls only async-signal-safe functions (see `Child::run`) on memory that
        // was made before the fork, and never returns.
        let pid = match unsafe { libc::fork() } {
            -1 => {
                let error = io::Error::last_os_error();
                return Err(Error::host("fork", &error, "free memory or raise the process limit"));
            }
            0 => child.run(),
            pid => Pid::from_raw(pid),
        };
        let mut guard = KillOnDrop { pid, armed: true };
        let process = adopt(pid, &page)?;
        guard.armed = false;
        Ok(process)
    }

    /// Take over `pid`, a copy that this process has made of itself.
    pub fn adopt(&self, pid: Pid) -> Result<Self, Error> {
        let mut guard = KillOnDrop { pid, armed: true };
        let life = pidfd(libc::SYS_pidfd_open, pid.as_raw(), 0)
            .map_err(|error| Error::host("pidfd_open", &error, "it needs Linux 5.3 or newer"))?;
        guard.armed = false;
        let listener = Arc::clone(&self.listener);
        let processor = Processor::default();
        Ok(Process { pid, life, listener, entry: self.entry, gone: false, processor })
    }

    /// Have it run where this thread does, which is about to wait for it.
    pub fn follow(&mut self) {
        self.processor.follow(self.pid);
    }

    /// The process id on the host.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Readable when the process is gone.
    pub fn life(&self) -> std::os::fd::BorrowedFd<'_> {
        self.life.as_fd()
    }

    /// How the process ended, once [`Process::life`] is readable.
    pub fn reap(&mut self) -> Result<WaitStatus, Error> {
        self.gone = true;
        wait(self.pid)
    }

    /// Kill the process and do not wait until it is gone.
    pub fn kill(&self) {
        if !self.gone {
            let _ = nix::sys::signal::kill(self.pid, Signal::SIGKILL);
        }
    }

    /// Processor time used so far, in nanoseconds; `None` when it is gone.
    pub fn processor_time(&self) -> Option<u64> {
        let mut clock: libc::clockid_t = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: both calls write to a local of the right type.
        let known = unsafe {
            libc::clock_getcpuclockid(self.pid.as_raw(), &raw mut clock) == 0
                && libc::clock_gettime(clock, &raw mut time) == 0
        };
        known.then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.gone {
            kill(self.pid);
        }
    }
}

struct KillOnDrop {
    pid: Pid,
    armed: bool,
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if self.armed {
            kill(self.pid);
        }
    }
}

/// Kill and reap a child, unless it was reaped before: then the number may be another's by now.
fn kill(pid: Pid) {
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    if waitid(Id::Pid(pid), look).is_err() {
        return;
    }
    let _ = nix::sys::signal::kill(pid, Signal::SIGKILL);
    while matches!(
        waitpid(pid, None),
        Ok(WaitStatus::Stopped(..) | WaitStatus::PtraceEvent(..) | WaitStatus::PtraceSyscall(_))
            | Err(nix::Error::EINTR)
    ) {}
}

fn wait(pid: Pid) -> Result<WaitStatus, Error> {
    loop {
        match waitpid(pid, None) {
            Err(nix::Error::EINTR) => {}
            Ok(status) => return Ok(status),
            Err(nix::Error::ECHILD) => {
                return Err(Error::Host(
                    "a node was waited for by somebody else: while programs are checked, nothing in \
                     this process may wait for any child, as wait() and waitpid(-1) do"
                        .into(),
                ));
            }
            Err(error) => return Err(refused("waitpid", error)),
        }
    }
}

/// Whether it can be learned how a node ended.
pub fn check_children() -> Result<(), Error> {
    // SAFETY: all-zero is a valid sigaction.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action the call only writes the old one, to a local of its type.
    let known = unsafe { libc::sigaction(libc::SIGCHLD, ptr::null(), &raw mut action) } == 0;
    let ignored = action.sa_sigaction == libc::SIG_IGN || action.sa_flags & libc::SA_NOCLDWAIT != 0;
    if known && ignored {
        return Err(Error::Host(
            "SIGCHLD is ignored in this process, so that nobody learns how a node ended; set it to \
             SIG_DFL, or give it a handler without SA_NOCLDWAIT"
                .into(),
        ));
    }
    Ok(())
}

fn refused(what: &str, error: nix::Error) -> Error {
    let remedy = match what.starts_with("ptrace") {
        true => "the host refuses tracing; in a container add the capability SYS_PTRACE",
        false => "the host refuses what a node needs",
    };
    Error::host(what, &error.into(), remedy)
}

/// Lead a forked child through its start: to the filter, whose listener is taken from it, then
/// through `execve`, and pin what the kernel put on its stack.
fn adopt(pid: Pid, page: &Page) -> Result<Process, Error> {
    // The child stops itself once it is traced.
    expect_stop(pid, page, |status| matches!(status, WaitStatus::Stopped(_, Signal::SIGSTOP)))?;
    let options =
        Options::PTRACE_O_EXITKILL | Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_TRACESYSGOOD;
    ptrace::setoptions(pid, options).map_err(|e| refused("ptrace(PTRACE_SETOPTIONS)", e))?;
    // Its next call is seccomp(2): stop at its entry and at its exit.
    for _ in 0..2 {
        ptrace::syscall(pid, None).map_err(|e| refused("ptrace(PTRACE_SYSCALL)", e))?;
        expect_stop(pid, page, |status| matches!(status, WaitStatus::PtraceSyscall(_)))?;
    }
    let result = ptrace::getregs(pid).map_err(|e| refused("ptrace(PTRACE_GETREGS)", e))?.rax as i64;
    if result < 0 {
        let error = io::Error::from_raw_os_error(-result as i32);
        return Err(Error::host(
            "seccomp(SECCOMP_FILTER_FLAG_NEW_LISTENER)",
            &error,
            "the host refuses user notification: it needs Linux 5.14 or newer, and a container \
             must allow the seccomp call",
        ));
    }
    let life = pidfd(libc::SYS_pidfd_open, pid.as_raw(), 0)
        .map_err(|error| Error::host("pidfd_open", &error, "it needs Linux 5.3 or newer"))?;
    let listener = pidfd(libc::SYS_pidfd_getfd, life.as_raw_fd(), result as i32)
        .map(Listener::new)
        .map_err(|error| {
            Error::host(
                "pidfd_getfd",
                &error,
                "the host refuses to hand over the listener; in a container allow the call and \
                 add the capability SYS_PTRACE",
            )
        })?;
    ptrace::cont(pid, None).map_err(|e| refused("ptrace(PTRACE_CONT)", e))?;
    await_call(&listener, pid, page)?;
    let notification = listener
        .receive()
        .map_err(|error| Error::host("SECCOMP_IOCTL_NOTIF_RECV", &error, "Linux 5.14 or newer"))?
        .ok_or_else(|| Error::Host("a node died while it was started".into()))?;
    listener
        .let_run(notification.id)
        .map_err(|error| Error::host("SECCOMP_IOCTL_NOTIF_SEND", &error, "Linux 5.5 or newer"))?;
    // Where `execve` fails the child traps, which is a stop of another kind.
    expect_stop(pid, page, |status| {
        matches!(status, WaitStatus::PtraceEvent(_, _, libc::PTRACE_EVENT_EXEC))
    })?;
    let entry = pin(pid)?;
    ptrace::detach(pid, None).map_err(|e| refused("ptrace(PTRACE_DETACH)", e))?;
    let (listener, processor) = (Arc::new(listener), Processor::default());
    Ok(Process { pid, life, listener, entry, gone: false, processor })
}

/// Wait until the child is inside its first filtered call.
fn await_call(listener: &Listener, pid: Pid, page: &Page) -> Result<(), Error> {
    loop {
        let mut ready = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, PollTimeout::from(1000u16)) {
            Ok(0) | Err(nix::Error::EINTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(refused("poll", error)),
        }
        if nix::sys::signal::kill(pid, None).is_err() {
            return Err(page.failure());
        }
    }
}

fn expect_stop(pid: Pid, page: &Page, expected: impl Fn(&WaitStatus) -> bool) -> Result<(), Error> {
    let status = wait(pid)?;
    if expected(&status) {
        return Ok(());
    }
    match page.failed() {
        true => Err(page.failure()),
        false => Err(Error::Host(format!(
            "a node did not start: {status:?}; the host interferes with tracing"
        ))),
    }
}

fn pidfd(call: i64, first: i32, second: i32) -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open(pid, flags) and pidfd_getfd(pidfd, fd, flags) take numbers only.
    let fd = unsafe { libc::syscall(call, first, second, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel made this descriptor for us just now.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// At the exec stop: fix the random bytes, hide the vDSO, and read where the program was loaded.
fn pin(pid: Pid) -> Result<u64, Error> {
    let memory = Memory::new(pid);
    let broken = || {
        let error = io::Error::last_os_error();
        Error::host(
            "process_vm_readv or process_vm_writev",
            &error,
            "the host refuses access to the memory of a node; in a container allow both calls and add \
             the capability SYS_PTRACE",
        )
    };
    let stack = ptrace::getregs(pid).map_err(|e| refused("ptrace(PTRACE_GETREGS)", e))?.rsp;
    let next = |at: &mut u64| {
        let word = memory.word(*at).ok_or_else(broken);
        *at += 8;
        word
    };
    let mut at = stack;
    let arguments = next(&mut at)?;
    at += 8 * (arguments + 1);
    while next(&mut at)? != 0 {}
    let mut entry = None;
    loop {
        let (kind, value) = (next(&mut at)?, next(&mut at)?);
        let done = match kind {
            libc::AT_NULL => break,
            libc::AT_RANDOM => memory.write(value, &RANDOM),
            libc::AT_SYSINFO_EHDR => memory.write(at - 16, &libc::AT_IGNORE.to_le_bytes()),
            libc::AT_ENTRY => {
                entry = Some(value);
                true
            }
            _ => true,
        };
        if !done {
            return Err(broken());
        }
    }
    entry.ok_or_else(broken)
}

/// A page that child and parent share: which step failed, and why.
struct Page {
    words: *mut u32,
}

impl Page {
    const SIZE: usize = 4096;

    fn new() -> io::Result<Self> {
        // SAFETY: a fresh anonymous mapping; nothing else refers to it.
        let words = unsafe {
            libc::mmap(
                ptr::null_mut(),
                Page::SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if words == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Page { words: words.cast() })
    }

    fn failed(&self) -> bool {
        // SAFETY: the page is mapped as long as `self`; the child may write it at any time.
        unsafe { ptr::read_volatile(self.words) != 0 }
    }

    fn failure(&self) -> Error {
        // SAFETY: as above.
        let (step, errno) =
            unsafe { (ptr::read_volatile(self.words), ptr::read_volatile(self.words.add(1))) };
        match STEPS.get((step as usize).wrapping_sub(1)) {
            Some((what, remedy)) => {
                Error::host(what, &io::Error::from_raw_os_error(errno as i32), remedy)
            }
            None => Error::Host("a node died while it was started; run it by hand".into()),
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` and is not used afterwards.
        unsafe {
            libc::munmap(self.words.cast(), Page::SIZE);
        }
    }
}

/// Everything that the child needs, made before the fork.
struct Child {
    path: *const c_char,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    directory: *const c_char,
    program: libc::sock_fprog,
    page: *mut u32,
    parent: Pid,
}

impl Child {
    fn prepare(plan: &Plan, filter: &[libc::sock_filter], page: &Page, parent: Pid) -> Self {
        let pointers = |strings: &[CString]| {
            let all = strings.iter().map(|string| string.as_ptr());
            all.chain([ptr::null()]).collect()
        };
        Child {
            path: plan.path.as_ptr(),
            arguments: pointers(&plan.arguments),
            environment: pointers(&plan.environment),
            directory: plan.directory.as_ptr(),
            program: libc::sock_fprog {
                len: filter.len() as u16,
                filter: filter.as_ptr().cast_mut(),
            },
            page: page.words,
            parent,
        }
    }

    /// The child's part: async-signal-safe calls only, then `execve`.
    fn run(&self) -> ! {
        // SAFETY: every pointer was made by `prepare` from values that live in the parent's frame,
        // of which the child has a copy; every function called is async-signal-safe.
        unsafe {
            self.check(1, libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL));
            if libc::getppid() != self.parent.as_raw() {
                libc::_exit(1);
            }
            // Its own session: a ^C at the terminal is for the checker.
            libc::setsid();
            for signal in 1..=64 {
                libc::signal(signal, libc::SIG_DFL);
            }
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            self.check(2, null);
            for fd in 0..3 {
                self.check(2, libc::dup2(null, fd));
            }
            libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, 0u32);
            libc::umask(0o22);
            self.check(3, libc::chdir(self.directory));
            self.check(4, libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong));
            for (resource, value) in [
                (libc::RLIMIT_STACK, STACK),
                (libc::RLIMIT_NOFILE, DESCRIPTORS),
                (libc::RLIMIT_AS, ADDRESS_SPACE),
                (libc::RLIMIT_CORE, 0),
            ] {
                let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
                self.check(5, libc::setrlimit(resource, &raw const limit));
            }
            self.check(6, libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
            self.check(7, libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) as i32);
            libc::syscall(libc::SYS_kill, libc::getpid(), libc::SIGSTOP);
            // A failure of this call is seen by the parent, which stops at its exit.
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const self.program,
            );
            libc::execve(self.path, self.arguments.as_ptr(), self.environment.as_ptr());
            // Every call is filtered now, so the failure is told by a trap, which stops a traced
            // process.
            self.say(8);
            std::arch::asm!("ud2", options(noreturn));
        }
    }

    /// End with the news that step `step` failed, if `result` says so.
    ///
    /// # Safety
    /// Only in the child, whose page is mapped.
    unsafe fn check(&self, step: u32, result: i32) {
        if result < 0 {
            // SAFETY: as the caller promises; `_exit` is async-signal-safe.
            unsafe {
                self.say(step);
                libc::_exit(1);
            }
        }
    }

    /// Write down that step `step` failed, with `errno`.
    ///
    /// # Safety
    /// Only in the child, whose page is mapped.
    unsafe fn say(&self, step: u32) {
        // SAFETY: the page is mapped and has at least two words; errno belongs to this thread.
        unsafe {
            ptr::write_volatile(self.page.add(1), *libc::__errno_location() as u32);
            ptr::write_volatile(self.page, step);
        }
    }
}
