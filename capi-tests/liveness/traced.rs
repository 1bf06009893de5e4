//! A program under ptrace that is stopped behind each of its system calls, and whose registers and
//! memory can then be overwritten.
#![allow(unsafe_code)] // a child that lets itself be traced, and the vector state, have no safe door

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use cmc::process::liveness::{Register, RegisterSet};
use cmc::process::memory::Memory;

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// `NT_X86_XSTATE`
const XSTATE: i32 = 0x202;
/// Where the parts of the vector state are in its standard form: the lower halves, which parts are
/// in use, the upper halves.
const LOWER: usize = 160;
const IN_USE: usize = 512;
const UPPER: usize = 576;
/// The status flags in `rflags`.
const FLAGS: u64 = 0x8d5;

/// A traced program.
pub struct Traced {
    child: Child,
    pid: Pid,
}

/// A stop behind a system call.
pub struct Stop {
    /// The general registers.
    pub registers: libc::user_regs_struct,
}

impl Traced {
    /// Start `command` with nothing that differs from run to run.
    pub fn start(mut command: Command, input: File, output: File) -> Self {
        command.stdin(input).stdout(output).env_clear();
        command.envs([
            ("LD_BIND_NOW", "1"),
            ("GLIBC_TUNABLES", "glibc.pthread.rseq=0"),
            ("LC_ALL", "C"),
            ("PATH", "/usr/bin:/bin"),
            ("TZ", "UTC0"),
        ]);
        let trace_me = || {
            // SAFETY: two plain system calls, of which neither takes a pointer that it uses.
            let failed = unsafe {
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0
                    || libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) < 0
            };
            if failed { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        };
        // SAFETY: between fork and exec it makes system calls only.
        unsafe { command.pre_exec(trace_me) };
        let child = command.spawn().expect("the program starts");
        let pid = Pid::from_raw(child.id() as i32);
        let stopped = waitpid(pid, None).expect("the program stops");
        assert_eq!(stopped, WaitStatus::Stopped(pid, Signal::SIGTRAP));
        let options = ptrace::Options::PTRACE_O_TRACESYSGOOD | ptrace::Options::PTRACE_O_EXITKILL;
        ptrace::setoptions(pid, options).expect("a traced program");
        Traced { child, pid }
    }

    /// Its memory.
    pub fn memory(&self) -> Memory {
        Memory::new(self.pid)
    }

    /// Go on until a system call has ended, and give the stop behind it; at the end of the program,
    /// its exit status, or the signal that it died of, negative.
    pub fn next(&mut self) -> Result<Stop, i32> {
        let mut entered = false;
        let mut signal = None;
        loop {
            ptrace::syscall(self.pid, signal).expect("a stopped program");
            signal = None;
            match waitpid(self.pid, None).expect("a child") {
                WaitStatus::PtraceSyscall(_) if entered => {
                    let registers = ptrace::getregs(self.pid).expect("a stopped program");
                    return Ok(Stop { registers });
                }
                WaitStatus::PtraceSyscall(_) => entered = true,
                WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
                WaitStatus::Stopped(_, other) => signal = Some(other),
                WaitStatus::Exited(_, status) => return Err(status),
                WaitStatus::Signaled(_, signal, _) => return Err(-(signal as i32)),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Overwrite the `dead` registers with what `garbage` says.
    pub fn spoil(&self, stop: &Stop, dead: RegisterSet, mut garbage: impl FnMut() -> u64) {
        let mut registers = stop.registers;
        let places = [
            (Register::RBX, &mut registers.rbx),
            (Register::RCX, &mut registers.rcx),
            (Register::RDX, &mut registers.rdx),
            (Register::RSI, &mut registers.rsi),
            (Register::RDI, &mut registers.rdi),
            (Register::RBP, &mut registers.rbp),
            (Register::R8, &mut registers.r8),
            (Register::R9, &mut registers.r9),
            (Register::R10, &mut registers.r10),
            (Register::R11, &mut registers.r11),
            (Register::R12, &mut registers.r12),
            (Register::R13, &mut registers.r13),
            (Register::R14, &mut registers.r14),
            (Register::R15, &mut registers.r15),
        ];
        for (register, place) in places {
            if dead.contains(register) {
                *place = garbage();
            }
        }
        if dead.contains(Register::FLAGS) {
            registers.eflags = registers.eflags & !FLAGS | garbage() & FLAGS;
        }
        ptrace::setregs(self.pid, registers).expect("a stopped program");
        let mut state = vec![0; 16 << 10];
        let length = self.vectors(libc::PTRACE_GETREGSET, &mut state);
        for number in (0..16).filter(|&number| dead.contains(Register::vector(number))) {
            for part in [LOWER, UPPER].into_iter().filter(|part| part + 256 <= length) {
                let at = part + 16 * number;
                state[at..at + 8].copy_from_slice(&garbage().to_le_bytes());
                state[at + 8..at + 16].copy_from_slice(&garbage().to_le_bytes());
                state[IN_USE] |= if part == LOWER { 2 } else { 4 };
            }
        }
        self.vectors(libc::PTRACE_SETREGSET, &mut state[..length]);
    }

    fn vectors(&self, request: libc::c_uint, state: &mut [u8]) -> usize {
        let mut part = libc::iovec { iov_base: state.as_mut_ptr().cast(), iov_len: state.len() };
        // SAFETY: the kernel reads or writes `state` within its length, and says how much it was.
        let result =
            unsafe { libc::ptrace(request, self.pid.as_raw(), XSTATE as usize, &raw mut part) };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        part.iov_len
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        // One that ended has been reaped.
        let _ = self.child.kill();
        let _ = waitpid(self.pid, None);
    }
}
