//! The registers of a node that waits: the node is stopped for a moment by ptrace, which makes it enter its call anew ([`super::node::Node::reenter`]).
#![allow(unsafe_code)]

use nix::sys::ptrace;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use crate::error::Error;

/// `NT_X86_XSTATE`: the whole vector and floating-point state.
const XSTATE: i32 = 0x202;
/// More than any processor's state needs.
const XSTATE_ROOM: usize = 16 << 10;
/// The header of the state: which parts the processor had in use. It differs from run to run while
/// the state that it describes does not.
const XSTATE_HEADER: std::ops::Range<usize> = 512..576;

/// The registers of a node that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The instruction pointer.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer.
    pub bp: u64,
    /// The general registers, then the vector and floating-point state, as canonical bytes.
    pub bytes: Vec<u8>,
}

/// The registers of the process `pid`, which waits in a call.
pub fn read(pid: Pid) -> Result<Registers, Error> {
    let refused = |what: &str| {
        let what = what.to_owned();
        move |error: nix::Error| {
            Error::host(
                &what,
                &error.into(),
                "nodes must be traced; in a container add the capability SYS_PTRACE, and see \
                 /proc/sys/kernel/yama/ptrace_scope",
            )
        }
    };
    ptrace::seize(pid, ptrace::Options::PTRACE_O_EXITKILL)
        .map_err(refused("ptrace(PTRACE_SEIZE)"))?;
    ptrace::interrupt(pid).map_err(refused("ptrace(PTRACE_INTERRUPT)"))?;
    await_stop(pid)?;
    let general = ptrace::getregs(pid).map_err(refused("ptrace(PTRACE_GETREGS)"))?;
    let mut vector = vector_state(pid).map_err(refused("ptrace(PTRACE_GETREGSET)"))?;
    ptrace::detach(pid, None).map_err(refused("ptrace(PTRACE_DETACH)"))?;
    if vector.len() >= XSTATE_HEADER.end {
        vector[XSTATE_HEADER].fill(0);
    }
    let words = [
        general.r15,
        general.r14,
        general.r13,
        general.r12,
        general.rbp,
        general.rbx,
        general.r10,
        general.r9,
        general.r8,
        general.rdx,
        general.rsi,
        general.rdi,
        general.orig_rax,
        general.rip,
        general.eflags,
        general.rsp,
        general.fs_base,
        general.gs_base,
    ];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(vector);
    Ok(Registers { ip: general.rip, sp: general.rsp, bp: general.rbp, bytes })
}

/// Wait for the stop. A node that died instead is left for its owner to reap, so that its number
/// stays its own.
fn await_stop(pid: Pid) -> Result<(), Error> {
    let peek = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    loop {
        match waitid(Id::Pid(pid), peek) {
            Err(nix::Error::EINTR) => {}
            Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) => {
                return Err(Error::Host("a node died while its registers were read".into()));
            }
            Ok(_) => match waitpid(pid, Some(WaitPidFlag::__WALL)) {
                Ok(WaitStatus::PtraceEvent(..)) => return Ok(()),
                Err(nix::Error::EINTR) => {}
                status => {
                    return Err(Error::Host(format!("a node could not be stopped: {status:?}")));
                }
            },
            Err(error) => {
                return Err(Error::host("waitid", &error.into(), "the host refuses it"));
            }
        }
    }
}

fn vector_state(pid: Pid) -> nix::Result<Vec<u8>> {
    let mut bytes = vec![0u8; XSTATE_ROOM];
    let mut room = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: the kernel writes at most `iov_len` bytes to `bytes`, and says in `iov_len` how many.
    let result = unsafe {
        libc::ptrace(libc::PTRACE_GETREGSET, pid.as_raw(), XSTATE as usize, &raw mut room)
    };
    nix::errno::Errno::result(result)?;
    bytes.truncate(room.iov_len);
    Ok(bytes)
}
