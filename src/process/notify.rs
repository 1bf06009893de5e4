//! The listener of one node and of its copies: receive a call, answer it, let it run, or put a descriptor into the
//! node. See seccomp_unotify(2). A node has one thread, so a notification that was received is
//! valid until it is answered or the node dies.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP`, Linux 6.6.
const SYNC_WAKE_UP: u64 = 1;
/// `AUDIT_ARCH_X86_64`.
const X86_64: u32 = 0xc000_003e;
/// `__X32_SYSCALL_BIT`.
const X32: i64 = 0x4000_0000;

/// A call that a node is stopped in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notification {
    /// By which the kernel knows it.
    pub id: u64,
    /// Which process made it.
    pub pid: i32,
    /// The number of the call.
    pub number: i64,
    /// Through which door it came.
    pub door: Door,
    /// Where the program continues.
    pub instruction: u64,
    /// The argument registers.
    pub arguments: [u64; 6],
}

/// The ways into the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `syscall` with a 64-bit number.
    Native,
    /// `syscall` with the x32 bit.
    X32,
    /// `int 0x80` and other foreign architectures.
    Foreign,
}

/// The descriptor that notifications come from.
#[derive(Debug)]
pub struct Listener {
    fd: OwnedFd,
}

impl Listener {
    /// Take over a listener, and ask for synchronous wake-up where the kernel knows it (6.6): without
    /// it everything works, slower on a busy machine.
    pub fn new(fd: OwnedFd) -> Self {
        // SAFETY: the request takes its flags by value and touches no memory of ours.
        unsafe {
            libc::ioctl(fd.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP);
        }
        Listener { fd }
    }

    /// The next call; blocks until there is one. `None` if its process died meanwhile.
    pub fn receive(&self) -> io::Result<Option<Notification>> {
        // SAFETY: all-zero is a valid seccomp_notif, and the kernel demands it.
        let mut raw: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: `raw` is a seccomp_notif that outlives the call.
        let done = uninterrupted(|| unsafe {
            libc::ioctl(self.fd.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut raw)
        });
        match done {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(None),
            other => other?,
        }
        let number = i64::from(raw.data.nr);
        let door = match raw.data.arch {
            X86_64 if number >= 0 && number & X32 != 0 => Door::X32,
            X86_64 => Door::Native,
            _ => Door::Foreign,
        };
        Ok(Some(Notification {
            id: raw.id,
            pid: raw.pid as i32,
            number,
            door,
            instruction: raw.data.instruction_pointer,
            arguments: raw.data.args,
        }))
    }

    /// Answer a call with a result; a negative one is `-errno`.
    pub fn answer(&self, id: u64, result: i64) -> io::Result<()> {
        let (val, error) =
            if (-4095..0).contains(&result) { (0, result as i32) } else { (result, 0) };
        self.send(libc::seccomp_notif_resp { id, val, error, flags: 0 })
    }

    /// Let the kernel run the call.
    pub fn let_run(&self, id: u64) -> io::Result<()> {
        let flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
        self.send(libc::seccomp_notif_resp { id, val: 0, error: 0, flags })
    }

    /// Answer a call with `file`, put into the node as descriptor `number`. In two requests: the one
    /// that does both (`SECCOMP_ADDFD_FLAG_SEND`) cannot be repeated when a signal to the checker
    /// interrupts it, because the call then counts as answered already.
    pub fn answer_with_file(&self, id: u64, file: BorrowedFd<'_>, number: i32) -> io::Result<()> {
        self.put_file(id, file, number)?;
        self.answer(id, number.into())
    }

    /// Put `file` into the node that is stopped in the call, as descriptor `number`.
    pub fn put_file(&self, id: u64, file: BorrowedFd<'_>, number: i32) -> io::Result<()> {
        let request = libc::seccomp_notif_addfd {
            id,
            flags: libc::SECCOMP_ADDFD_FLAG_SETFD as u32,
            srcfd: file.as_raw_fd() as u32,
            newfd: number as u32,
            newfd_flags: 0,
        };
        // SAFETY: `request` is a seccomp_notif_addfd that outlives the call.
        uninterrupted(|| unsafe {
            libc::ioctl(self.fd.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const request)
        })
    }

    fn send(&self, response: libc::seccomp_notif_resp) -> io::Result<()> {
        // SAFETY: `response` is a seccomp_notif_resp that outlives the call.
        uninterrupted(|| unsafe {
            libc::ioctl(self.fd.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const response)
        })
    }
}

/// Make a call until no signal interrupts it: the program around the checker may have handlers, and
/// every stop of a node is a SIGCHLD.
fn uninterrupted(mut call: impl FnMut() -> i32) -> io::Result<()> {
    loop {
        if call() >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
