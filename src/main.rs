//! The command `cmc(1)`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether there was a standard output when the process started.
static THERE_IS_OUTPUT: AtomicBool = AtomicBool::new(true);

/// Runs before std does, which opens /dev/null in place of a closed standard output.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: F_GETFD takes no third argument and only looks at the descriptor.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        THERE_IS_OUTPUT.store(flags >= 0, Ordering::Relaxed);
    }
    look
};

fn main() -> ExitCode {
    if !THERE_IS_OUTPUT.load(Ordering::Relaxed) {
        eprintln!(
            "cmc: standard output is closed, so that nobody would see the answer; redirect it"
        );
        return ExitCode::from(2);
    }
    // Whoever started the command may have left it ignored, and nodes are waited for.
    // SAFETY: SIG_DFL is a disposition of SIGCHLD.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    cmc::cli::main(std::env::args_os().skip(1).collect()).into()
}
