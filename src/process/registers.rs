//! The registers of a node that waits. The node is stopped for a moment by ptrace, which makes it
//! enter its call anew ([`super::node::Node::reenter`]): with other registers, another call.
#![allow(unsafe_code)]

use nix::sys::ptrace;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use super::vector;
use crate::error::Error;

/// `NT_X86_XSTATE`: the whole vector and floating-point state.
const XSTATE: i32 = 0x202;
/// More than any processor's state needs.
const XSTATE_ROOM: usize = 16 << 10;
/// Of the legacy part: control word and status word of x87.
const X87_CONTROL: std::ops::Range<usize> = 0..4;
/// Of the legacy part: MXCSR and its mask.
const MXCSR: std::ops::Range<usize> = 24..32;
/// Bytes that the kernel and programs keep there for themselves.
const SOFTWARE: std::ops::Range<usize> = 464..512;

/// `PTRACE_GETSIGMASK`.
const GET_MASK: libc::c_uint = 0x420a;
/// `PTRACE_SETSIGMASK`.
const SET_MASK: libc::c_uint = 0x420b;

/// General registers in the order of the kernel's `user_regs_struct`.
pub const GENERAL: usize = 27;

/// Places in [`Registers::general`].
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum General {
    R15,
    R14,
    R13,
    R12,
    Rbp,
    Rbx,
    R11,
    R10,
    R9,
    R8,
    Rax,
    Rcx,
    Rdx,
    Rsi,
    Rdi,
    OrigRax,
    Rip,
    Cs,
    Eflags,
    Rsp,
    Ss,
    FsBase,
    GsBase,
}

/// What the identity of a node holds of its general registers: all but those that entering the
/// kernel changes, and the segments, which are the same for every program.
pub const IDENTITY: [General; 18] = [
    General::R15,
    General::R14,
    General::R13,
    General::R12,
    General::Rbp,
    General::Rbx,
    General::R10,
    General::R9,
    General::R8,
    General::Rdx,
    General::Rsi,
    General::Rdi,
    General::OrigRax,
    General::Rip,
    General::Eflags,
    General::Rsp,
    General::FsBase,
    General::GsBase,
];

/// Flags that a program sets on purpose: direction, nested task, alignment check, identification. The
/// others are the result of the last arithmetic, or the kernel's.
const SET_FLAGS: u64 = 1 << 10 | 1 << 14 | 1 << 18 | 1 << 21;
/// Flags that are always set: interrupts are on, and bit 1.
const PLAIN_FLAGS: u64 = 0x202;

/// The registers of a node that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The general registers, by [`General`].
    pub general: [u64; GENERAL],
    /// The vector and floating-point state, in the kernel's format without its header.
    pub vector: Vec<u8>,
    /// The header: which parts were in use.
    header: Vec<u8>,
    /// The signals that the kernel keeps from it, a bit each; in a handler more than the program has
    /// asked for.
    pub mask: u64,
}

/// What decides about the call that a process is in, and where it goes on.
const CALL: [General; 17] = [
    General::OrigRax,
    General::Rip,
    General::Rdi,
    General::Rsi,
    General::Rdx,
    General::R10,
    General::R8,
    General::R9,
    General::Rsp,
    General::Rbp,
    General::Rbx,
    General::R12,
    General::R13,
    General::R14,
    General::R15,
    General::FsBase,
    General::GsBase,
];

impl Registers {
    /// Whether a process with the general registers `other` makes the same call and goes on alike.
    pub fn is_in_call_of(&self, other: &[u64; GENERAL]) -> bool {
        CALL.iter().all(|&register| self.get(register) == other[register as usize])
    }

    /// Number, place and arguments of the call.
    pub fn call(&self) -> (i64, u64, [u64; 6]) {
        let arguments = [CALL[2], CALL[3], CALL[4], CALL[5], CALL[6], CALL[7]];
        let number = self.get(General::OrigRax) as i64;
        (number, self.ip(), arguments.map(|register| self.get(register)))
    }

    /// One general register.
    pub fn get(&self, register: General) -> u64 {
        self.general[register as usize]
    }

    /// Change one general register.
    pub fn set(&mut self, register: General, value: u64) {
        self.general[register as usize] = value;
    }

    /// The instruction pointer.
    pub fn ip(&self) -> u64 {
        self.get(General::Rip)
    }

    /// The stack pointer.
    pub fn sp(&self) -> u64 {
        self.get(General::Rsp)
    }

    /// The frame pointer.
    pub fn bp(&self) -> u64 {
        self.get(General::Rbp)
    }

    /// What a node can still see of them: the general registers, the signals that are blocked, then
    /// the vector state.
    pub fn bytes(&self) -> Vec<u8> {
        let words = IDENTITY.iter().map(|&register| self.get(register)).chain([self.mask]);
        words.flat_map(u64::to_le_bytes).chain(self.vector.iter().copied()).collect()
    }

    /// Take the vector and floating-point state out: the kernel's format, with a header that follows
    /// from the rest.
    pub fn take_vector(&mut self) -> Vec<u8> {
        let mut image = std::mem::take(&mut self.vector);
        let mut header = std::mem::take(&mut self.header);
        if !header.is_empty() {
            vector::mark_what_is_in_use(&mut header, &image);
            image[vector::HEADER].copy_from_slice(&header);
        }
        image
    }

    /// Put back what [`Registers::take_vector`] took.
    pub fn put_vector(&mut self, mut image: Vec<u8>) {
        self.header.clear();
        if image.len() >= vector::HEADER.end {
            self.header = image[vector::HEADER].to_vec();
            image[vector::HEADER].fill(0);
        }
        self.vector = image;
    }

    /// Forget the vector and x87 registers, but for the words that control them and the exceptions
    /// that they have seen.
    pub fn clear_vector(&mut self) {
        let kept = [X87_CONTROL, MXCSR, SOFTWARE];
        let mut at = 0;
        for range in kept {
            let end = range.start.min(self.vector.len());
            self.vector[at..end].fill(0);
            at = range.end.min(self.vector.len());
        }
        self.vector[at..].fill(0);
    }

    /// Forget the flags, but for those that the program has set on purpose.
    pub fn clear_flags(&mut self) {
        self.set(General::Eflags, self.get(General::Eflags) & SET_FLAGS | PLAIN_FLAGS);
    }
}

/// A node that is stopped by ptrace in the call that it waits in; it goes on when this is dropped.
#[derive(Debug)]
pub struct Halted {
    pid: Pid,
    done: bool,
}

impl Halted {
    /// Stop the process `pid`, which waits in a call.
    pub fn new(pid: Pid) -> Result<Self, Error> {
        ptrace::seize(pid, ptrace::Options::PTRACE_O_EXITKILL)
            .map_err(refused("ptrace(PTRACE_SEIZE)"))?;
        let halted = Halted { pid, done: false };
        ptrace::interrupt(pid).map_err(refused("ptrace(PTRACE_INTERRUPT)"))?;
        await_stop(pid)?;
        Ok(halted)
    }

    /// Its registers.
    pub fn registers(&self) -> Result<Registers, Error> {
        let general = self.general()?;
        let vector = vector_state(self.pid).map_err(refused("ptrace(PTRACE_GETREGSET)"))?;
        let mut mask = 0u64;
        mask_request(GET_MASK, self.pid, &mut mask)
            .map_err(refused("ptrace(PTRACE_GETSIGMASK)"))?;
        let mut registers = Registers { general, vector: Vec::new(), header: Vec::new(), mask };
        registers.put_vector(vector);
        Ok(registers)
    }

    /// Its general registers.
    pub fn general(&self) -> Result<[u64; GENERAL], Error> {
        let general = ptrace::getregs(self.pid).map_err(refused("ptrace(PTRACE_GETREGS)"))?;
        // SAFETY: both are 27 words without padding; any bits are numbers.
        Ok(unsafe { std::mem::transmute::<libc::user_regs_struct, [u64; GENERAL]>(general) })
    }

    /// Make its call return `result` and let it run, as if the call had been answered.
    pub fn answer(self, result: i64) -> Result<(), Error> {
        let mut registers = Registers { general: self.general()?, ..Registers::default() };
        registers.set(General::Rax, result as u64);
        // No call: the kernel does not start it anew.
        registers.set(General::OrigRax, u64::MAX);
        // As the processor leaves them behind a call.
        registers.set(General::Rcx, registers.ip());
        registers.set(General::R11, registers.get(General::Eflags));
        self.set_general(&registers)?;
        self.resume()
    }

    /// Give it other general registers.
    pub fn set_general(&self, registers: &Registers) -> Result<(), Error> {
        // SAFETY: as in `general`.
        let general: libc::user_regs_struct = unsafe { std::mem::transmute(registers.general) };
        ptrace::setregs(self.pid, general).map_err(refused("ptrace(PTRACE_SETREGS)"))
    }

    /// Give it other registers.
    pub fn set(&self, registers: &Registers) -> Result<(), Error> {
        self.set_general(registers)?;
        let mut mask = registers.mask;
        mask_request(SET_MASK, self.pid, &mut mask)
            .map_err(refused("ptrace(PTRACE_SETSIGMASK)"))?;
        let mut vector = registers.clone().take_vector();
        set_vector_state(self.pid, &mut vector).map_err(refused("ptrace(PTRACE_SETREGSET)"))
    }

    /// Leave it stopped; [`Halted::again`] takes it up, on this thread.
    pub fn leave(mut self) {
        self.done = true;
    }

    /// The process `pid`, which this thread has left stopped.
    pub fn again(pid: Pid) -> Self {
        Halted { pid, done: false }
    }

    /// Let it enter its call anew.
    pub fn resume(mut self) -> Result<(), Error> {
        self.done = true;
        ptrace::detach(self.pid, None).map_err(refused("ptrace(PTRACE_DETACH)"))
    }
}

impl Drop for Halted {
    fn drop(&mut self) {
        if !self.done {
            let _ = ptrace::detach(self.pid, None);
        }
    }
}

fn refused(what: &str) -> impl FnOnce(nix::Error) -> Error {
    let what = what.to_owned();
    move |error| {
        Error::host(
            &what,
            &error.into(),
            "nodes must be traced; in a container add the capability SYS_PTRACE, and see \
             /proc/sys/kernel/yama/ptrace_scope",
        )
    }
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
    // What is kept is a part of this: room from the heap would leave holes between memories that stay.
    let mut room = [0; XSTATE_ROOM];
    let length = vector_request(libc::PTRACE_GETREGSET, pid, &mut room)?;
    Ok(room[..length].to_vec())
}

fn set_vector_state(pid: Pid, bytes: &mut [u8]) -> nix::Result<()> {
    vector_request(libc::PTRACE_SETREGSET, pid, bytes).map(drop)
}

fn vector_request(request: libc::c_uint, pid: Pid, bytes: &mut [u8]) -> nix::Result<usize> {
    let mut room = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: the kernel reads or writes at most `iov_len` bytes of `bytes`, and says in `iov_len`
    // how many.
    let result = unsafe { libc::ptrace(request, pid.as_raw(), XSTATE as usize, &raw mut room) };
    nix::errno::Errno::result(result)?;
    Ok(room.iov_len)
}

fn mask_request(request: libc::c_uint, pid: Pid, mask: &mut u64) -> nix::Result<()> {
    // SAFETY: the kernel reads or writes the eight bytes of `mask`, as it is told.
    let result = unsafe { libc::ptrace(request, pid.as_raw(), size_of::<u64>(), &raw mut *mask) };
    nix::errno::Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_keeps_the_control_words_alone() {
        let mut registers = Registers {
            general: [7; GENERAL],
            vector: vec![0xff; 832],
            header: vec![0; 64],
            mask: 0,
        };
        registers.clear_vector();
        let kept: Vec<usize> = (0..832).filter(|&at| registers.vector[at] != 0).collect();
        let expected: Vec<usize> = X87_CONTROL.chain(MXCSR).chain(SOFTWARE).collect();
        assert_eq!(kept, expected);
        let whole = registers.clone();
        let image = registers.take_vector();
        assert_eq!(image.len(), 832);
        assert_eq!(image[512], 3, "the legacy parts are always there");
        registers.put_vector(image);
        assert_eq!(registers.bytes(), whole.bytes());
        registers.vector.truncate(100);
        registers.clear_vector();
        assert_eq!(registers.general, [7; GENERAL]);
    }
}
