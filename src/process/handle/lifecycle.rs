//! A node's life as a process: signals, limits, identity; and what it may not do.

use super::super::local::AlternateStack;
use super::super::node::Node;
use super::super::request::Request;
use super::{Answer, errno, refuse};
use crate::system::Stop;

/// Bytes of a set of signals, as the kernel knows them.
const SET_SIZE: u64 = 8;

/// What a signal does to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// What the kernel does by itself.
    Default,
    /// Nothing.
    Ignored,
    /// It runs a function of the program.
    Handler,
}

/// How the node has set signal `number`.
pub fn disposition(node: &Node, number: i32) -> Disposition {
    match node.local.signals.get(&number).map(|action| &action[..8]) {
        None => Disposition::Default,
        Some(handler) => match u64::from_le_bytes(handler.try_into().expect("eight bytes")) {
            0 => Disposition::Default,
            1 => Disposition::Ignored,
            _ => Disposition::Handler,
        },
    }
}

/// The number of the process and of its only thread.
pub fn identity(node: &Node) -> i64 {
    1000 + node.setting.number as i64
}

pub fn kill(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (target, number) = match request.call.number {
        libc::SYS_tgkill => (request.int(1), request.int(2)),
        _ => (request.int(0), request.int(1)),
    };
    if i64::from(target) != identity(node) && target != 0 {
        let advice = "sends a signal to another process: nodes can reach each other through the \
                      network only";
        return Err(refuse(node, request, advice));
    }
    match disposition(node, number) {
        _ if number == 0 => Ok(Answer::Return(0)),
        _ if !(1..=64).contains(&number) => Ok(errno(libc::EINVAL)),
        Disposition::Default if stops(number) => {
            let advice = "stops itself, and nothing would ever continue it";
            Err(refuse(node, request, advice))
        }
        // abort(3) blocks every signal but SIGABRT; whoever blocks a fatal one still means it.
        Disposition::Default if is_fatal(number) => Err(node.killed_by(number)),
        Disposition::Ignored | Disposition::Default => Ok(Answer::Return(0)),
        Disposition::Handler => {
            let advice = "raises a signal that it handles: signal handlers are not modelled";
            Err(refuse(node, request, advice))
        }
    }
}

fn is_fatal(number: i32) -> bool {
    !matches!(number, libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT)
}

fn stops(number: i32) -> bool {
    matches!(number, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU)
}

/// A handler that ran by a fault of the program returns: with whatever the program has written into
/// the frame, the alternate stack among it.
pub fn signal_return(node: &mut Node) -> Answer {
    node.mark_lasting("rt_sigreturn");
    Answer::LetRun
}

pub fn signal_action(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let number = request.int(0);
    // What the kernel refuses must not be recorded.
    if request.raw(3) != SET_SIZE {
        return Ok(errno(libc::EINVAL));
    }
    if request.raw(1) != 0 {
        let Some(action) = request.input(1) else { return Ok(errno(libc::EFAULT)) };
        if !(1..=64).contains(&number) || matches!(number, libc::SIGKILL | libc::SIGSTOP) {
            return Ok(errno(libc::EINVAL));
        }
        let action: [u8; 32] = action.try_into().expect("the table says 32 bytes");
        // The kernel gives back the flags and the mask of a default action too.
        if action == [0; 32] {
            node.local.signals.remove(&number);
        } else {
            node.local.signals.insert(number, action);
        }
    }
    Ok(Answer::LetRun)
}

pub fn signal_mask(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    if request.raw(3) != SET_SIZE {
        return Ok(errno(libc::EINVAL));
    }
    if request.raw(1) != 0 {
        let Some(set) = request.input(1) else { return Ok(errno(libc::EFAULT)) };
        let set = u64::from_le_bytes(set.try_into().expect("the table says 8 bytes"));
        let mask = &mut node.local.mask;
        match request.int(0) {
            libc::SIG_BLOCK => *mask |= set,
            libc::SIG_UNBLOCK => *mask &= !set,
            libc::SIG_SETMASK => *mask = set,
            _ => return Ok(errno(libc::EINVAL)),
        }
    }
    Ok(Answer::LetRun)
}

/// As `do_sigaltstack` of the kernel; the node never runs on its alternate stack.
pub fn alternate_stack(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    const AUTODISARM: u32 = 1 << 31;
    let current = node.local.alternate_stack.clone();
    if request.raw(0) != 0 {
        let Some(bytes) = request.input(0) else { return Ok(errno(libc::EFAULT)) };
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        // stack_t: ss_sp at 0, ss_flags, 4 bytes long, at 8, ss_size at 16.
        let (start, flags, size) = (word(0), word(8) as u32, word(16));
        let autodisarm = flags & AUTODISARM != 0;
        node.local.alternate_stack = match (flags & !AUTODISARM) as i32 {
            libc::SS_DISABLE => AlternateStack { start: 0, size: 0, autodisarm },
            0 | libc::SS_ONSTACK if size < libc::MINSIGSTKSZ as u64 => {
                return Ok(errno(libc::ENOMEM));
            }
            0 | libc::SS_ONSTACK => AlternateStack { start, size, autodisarm },
            _ => return Ok(errno(libc::EINVAL)),
        };
    }
    if request.raw(1) == 0 {
        return Ok(Answer::Return(0));
    }
    let mode = if current.size == 0 { libc::SS_DISABLE as u32 } else { 0 };
    let flags = mode | if current.autodisarm { AUTODISARM } else { 0 };
    let old = [current.start, flags.into(), current.size].map(u64::to_le_bytes).concat();
    Ok(match request.output(1, &old) {
        Some(_) => Answer::Return(0),
        None => errno(libc::EFAULT),
    })
}

pub fn resource_limit(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let other = request.int(0) != 0 && i64::from(request.int(0)) != identity(node);
    if request.raw(2) != 0 || other {
        let advice = "limits of nodes are fixed: they can be read, not set";
        return Err(refuse(node, request, advice));
    }
    if request.int(0) != 0 {
        // The kernel does not know the number that the node was told.
        let advice = "read limits with pid 0";
        return Err(refuse(node, request, advice));
    }
    Ok(Answer::LetRun)
}

pub fn futex(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    match request.int(1) & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) {
        libc::FUTEX_WAKE => Ok(Answer::Return(0)),
        _ => {
            let advice = "waits for another thread, and there is none: it would wait for ever";
            Err(refuse(node, request, advice))
        }
    }
}

pub fn fork(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let flags = match request.call.number {
        libc::SYS_clone => request.raw(0),
        libc::SYS_clone3 => {
            let flags = request.input(0).and_then(|bytes| bytes.try_into().ok());
            flags.map_or(0, u64::from_le_bytes)
        }
        _ => 0,
    };
    let advice = if flags & libc::CLONE_THREAD as u64 != 0 {
        "starts a second thread: threads are not modelled; build or configure the program with one \
         thread"
    } else {
        "forks a second process: a node is one process; start the program in the foreground, without \
         helpers"
    };
    Err(refuse(node, request, advice))
}

pub fn uname(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    const FIELD: usize = 65;
    let name = format!("node{}", node.setting.number);
    let fields = ["Linux", &name, "6.6.0", "#1", "x86_64", "(none)"];
    let mut bytes = [0; 6 * FIELD];
    for (slot, text) in bytes.chunks_exact_mut(FIELD).zip(fields) {
        slot[..text.len()].copy_from_slice(text.as_bytes());
    }
    Ok(match request.output(0, &bytes) {
        Some(_) => Answer::Return(0),
        None => errno(libc::EFAULT),
    })
}

pub fn system_information(request: &Request) -> Result<Answer, Stop> {
    // struct sysinfo: uptime at 0, totalram at 32, freeram at 40, procs at 80, mem_unit at 104.
    let mut bytes = [0; 112];
    bytes[..8].copy_from_slice(&1000u64.to_le_bytes());
    bytes[32..40].copy_from_slice(&(1u64 << 30).to_le_bytes());
    bytes[40..48].copy_from_slice(&(1u64 << 29).to_le_bytes());
    bytes[80..82].copy_from_slice(&1u16.to_le_bytes());
    bytes[104..108].copy_from_slice(&1u32.to_le_bytes());
    Ok(match request.output(0, &bytes) {
        Some(_) => Answer::Return(0),
        None => errno(libc::EFAULT),
    })
}
