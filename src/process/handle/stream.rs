//! Bytes in and out of descriptors: connections, the captured output, reports and durable records.

use super::super::local::{Descriptor, Overrun, Role, Socket};
use super::super::node::{Node, Stage};
use super::super::request::{LARGEST_COPY, Request};
use super::super::step::{Event, Wait, WaitKind};
use super::{Answer, errno, refuse};
use crate::limits;
use crate::system::Stop;

pub fn read(node: &mut Node, request: &Request, flags: i32) -> Result<Answer, Stop> {
    let fd = request.int(0);
    let room = match request.room(1) {
        Ok(room) => room,
        Err(number) => return Ok(errno(number)),
    };
    if flags & libc::MSG_DONTWAIT != 0 {
        let advice = "MSG_DONTWAIT is not modelled: use a blocking recv, with SO_RCVTIMEO for \
                      time-outs";
        return Err(refuse(node, request, advice));
    }
    if flags != 0 {
        let advice = "receiving with flags is not modelled: call recv with flags 0, or read";
        return Err(refuse(node, request, advice));
    }
    // Only recvfrom has a fifth argument.
    if request.call.number == libc::SYS_recvfrom && request.raw(4) != 0 {
        let advice = "receiving with an address is not modelled: call recv, or ask getpeername";
        return Err(refuse(node, request, advice));
    }
    match node.local.descriptors.get_mut(&fd) {
        None => Ok(errno(libc::EBADF)),
        Some(Descriptor::File) => {
            // The kernel keeps how far the file was read.
            if node.stage == Stage::Running {
                node.mark_lasting("read");
            }
            Ok(Answer::LetRun)
        }
        Some(Descriptor::Input) => Ok(Answer::Return(0)),
        Some(Descriptor::Output | Descriptor::Report) => Ok(errno(libc::EBADF)),
        Some(Descriptor::Durable) => {
            let take = node.local.unread.len().min(room as usize);
            let result = arrived(request, &node.local.unread[..take]);
            if result > 0 {
                node.local.unread.drain(..take);
            }
            Ok(Answer::Return(result))
        }
        Some(Descriptor::Socket(Socket {
            role: Role::Connected { ready, .. }, timeout, ..
        })) => {
            if room == 0 {
                return Ok(Answer::Return(0));
            }
            if !ready.is_empty() {
                let take = ready.len().min(room as usize);
                let result = arrived(request, &ready[..take]);
                if result > 0 {
                    ready.drain(..take);
                }
                return Ok(Answer::Return(result));
            }
            Ok(Answer::Wait(Wait { kind: WaitKind::Read, fd, capacity: room, timeout: *timeout }))
        }
        Some(Descriptor::Socket(_)) => Ok(errno(libc::ENOTCONN)),
    }
}

/// Copy `bytes` to where a read wants them; what the call returns.
pub fn arrived(request: &Request, bytes: &[u8]) -> i64 {
    match request.output(1, bytes) {
        Some(written) => written as i64,
        None => -i64::from(libc::EFAULT),
    }
}

pub fn write(node: &mut Node, request: &Request, flags: i32) -> Result<Answer, Stop> {
    let fd = request.int(0);
    if flags & !libc::MSG_NOSIGNAL != 0 {
        let advice = "sending with flags other than MSG_NOSIGNAL is not modelled: use write, or send \
                      with MSG_NOSIGNAL";
        return Err(refuse(node, request, advice));
    }
    let length = match request.room(1) {
        Ok(length) => length,
        Err(number) => return Ok(errno(number)),
    };
    if length > LARGEST_COPY {
        return Err(node.breach(
            "cap:write",
            format!(
                "wrote {length} bytes at once to descriptor {fd}; the cap is {}",
                limits::WRITE.value
            ),
        ));
    }
    let Some(bytes) = request.input(1) else { return Ok(errno(libc::EFAULT)) };
    let length = bytes.len() as i64;
    match node.local.descriptors.get_mut(&fd) {
        None | Some(Descriptor::Input) => return Ok(errno(libc::EBADF)),
        Some(Descriptor::File) => return Ok(errno(libc::EBADF)),
        Some(Descriptor::Output) => {
            node.printed += bytes.len();
            if node.printed > limits::OUTPUT.value {
                return Err(node.breach(
                    "cap:output",
                    format!(
                        "wrote more than {} bytes to standard output and error; make it quieter",
                        limits::OUTPUT.value
                    ),
                ));
            }
            if !bytes.is_empty() {
                node.events.push(Event::Printed { fd, bytes });
            }
        }
        Some(Descriptor::Report) => {
            let done = node.local.report.write(&bytes);
            if let Some(record) = whole(node, request, "report", done)? {
                node.report = Some(record);
            }
        }
        Some(Descriptor::Durable) => {
            let done = node.local.durable.write(&bytes);
            if let Some(record) = whole(node, request, "durable record", done)? {
                node.events.push(Event::Persisted { record });
            }
        }
        Some(Descriptor::Socket(socket)) => match &socket.role {
            Role::Connected { shut: false, .. } => {
                if bytes.len() > limits::WRITE.value {
                    return Err(node.breach(
                        "cap:write",
                        format!(
                            "wrote {length} bytes at once to descriptor {fd}; the cap is {}",
                            limits::WRITE.value
                        ),
                    ));
                }
                if !bytes.is_empty() {
                    node.events.push(Event::Wrote { fd, bytes });
                }
            }
            Role::Connected { .. } | Role::Fresh | Role::Listening => {
                return broken_pipe(node, request, flags);
            }
        },
    }
    Ok(Answer::Return(length))
}

fn whole(
    node: &Node,
    request: &Request,
    what: &str,
    done: Result<Option<Vec<u8>>, Overrun>,
) -> Result<Option<Vec<u8>>, Stop> {
    if node.stage == Stage::Loading {
        return Err(node.not_loaded(&format!("it wrote a {what}")).into());
    }
    done.map_err(|Overrun { announced, came }| {
        let advice = format!(
            "the {what} is too long: its length byte says {announced}, {came} bytes came; a record is \
             a length byte and as many bytes, at most {}, one record a write; a larger state needs \
             state = \"region:SYMBOL\" or \"raw\"",
            limits::REPORT.value
        );
        refuse(node, request, &advice)
    })
}

/// A write that nobody can read any more: SIGPIPE as the node has set it, then EPIPE.
fn broken_pipe(node: &mut Node, request: &Request, flags: i32) -> Result<Answer, Stop> {
    use super::lifecycle::Disposition;
    if flags & libc::MSG_NOSIGNAL != 0 {
        return Ok(errno(libc::EPIPE));
    }
    let blocked = node.local.mask >> (libc::SIGPIPE - 1) & 1 == 1;
    match super::lifecycle::disposition(node, libc::SIGPIPE) {
        Disposition::Ignored => Ok(errno(libc::EPIPE)),
        _ if blocked => {
            let advice = "it would leave a blocked SIGPIPE pending, which is not modelled: ignore SIGPIPE, \
                          or send with MSG_NOSIGNAL";
            Err(refuse(node, request, advice))
        }
        Disposition::Default => Err(node.killed_by(libc::SIGPIPE)),
        Disposition::Handler => {
            let advice = "it would raise SIGPIPE, whose handler is not modelled: ignore SIGPIPE, or \
                          send with MSG_NOSIGNAL";
            Err(refuse(node, request, advice))
        }
    }
}
