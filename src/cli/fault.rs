//! A core runs inside of this command, and so does its fault: it would end the command without a word.
//! Here it ends as what could not be checked, with what to do about it.
#![allow(unsafe_code)] // a handler of signals

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::error::Error;

/// The faults that a core can commit.
const FAULTS: [Signal; 4] = [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL];

const SAID: &str = "cmc: the core faulted: a function of it read or wrote what is not there, divided \
                    by zero, or went too deep; run the same command under gdb, or a driver of it that \
                    is compiled with -fsanitize=address,undefined (see libcmc(3))\n";

/// From here on a fault says so and ends the command with status 2.
pub fn explain() -> Result<(), Error> {
    // On the alternate stack that std has made for each thread: the usual one may be what is full.
    let flags = SaFlags::SA_ONSTACK | SaFlags::SA_RESETHAND;
    let action = SigAction::new(SigHandler::Handler(say), flags, SigSet::empty());
    for fault in FAULTS {
        // SAFETY: the handler calls nothing but functions that handlers may call.
        unsafe { sigaction(fault, &action) }
            .map_err(|errno| Error::host("sigaction", &errno.into(), "the host refuses it"))?;
    }
    Ok(())
}

extern "C" fn say(_: i32) {
    // SAFETY: both functions are async-signal-safe, and the text is static.
    unsafe {
        libc::write(libc::STDERR_FILENO, SAID.as_ptr().cast(), SAID.len());
        libc::_exit(2);
    }
}
