//! Calls on a descriptor whatever it stands for.

use super::super::local::{Descriptor, Role};
use super::super::node::{Node, Stage};
use super::super::request::Request;
use super::super::step::Event;
use super::{Answer, errno, refuse};
use crate::system::Stop;

pub fn close(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let fd = request.int(0);
    node.local.close_on_exec.remove(&fd);
    match node.local.descriptors.remove(&fd) {
        None => Ok(errno(libc::EBADF)),
        Some(Descriptor::File) => Ok(Answer::LetRun),
        Some(Descriptor::Socket(socket)) => {
            let listener = socket.role == Role::Listening;
            node.events.push(Event::Closed { fd, listener });
            Ok(Answer::Return(0))
        }
        Some(_) => Ok(Answer::Return(0)),
    }
}

pub fn control(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (fd, command, argument) = (request.int(0), request.int(1), request.int(2));
    let Some(descriptor) = node.local.descriptors.get(&fd) else { return Ok(errno(libc::EBADF)) };
    match command {
        libc::F_GETFD => Ok(Answer::Return(node.local.close_on_exec.contains(&fd).into())),
        libc::F_SETFD => {
            match argument & libc::FD_CLOEXEC {
                0 => node.local.close_on_exec.remove(&fd),
                _ => node.local.close_on_exec.insert(fd),
            };
            Ok(Answer::Return(0))
        }
        libc::F_GETFL => Ok(Answer::Return(match descriptor {
            Descriptor::Input | Descriptor::File => libc::O_RDONLY,
            Descriptor::Output | Descriptor::Report => libc::O_WRONLY,
            Descriptor::Durable | Descriptor::Socket(_) => libc::O_RDWR,
        } as i64)),
        libc::F_SETFL if argument & libc::O_NONBLOCK == 0 => Ok(Answer::Return(0)),
        libc::F_SETFL => {
            let advice = "O_NONBLOCK is not modelled: use blocking accept and read, with SO_RCVTIMEO \
                          for time-outs";
            Err(refuse(node, request, advice))
        }
        _ => {
            let advice = "only F_GETFD, F_SETFD, F_GETFL and F_SETFL are modelled";
            Err(refuse(node, request, advice))
        }
    }
}

pub fn device_control(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    if !node.local.descriptors.contains_key(&request.int(0)) {
        return Ok(errno(libc::EBADF));
    }
    match request.raw(1) {
        // What isatty(3) asks, and its kin.
        libc::TCGETS | libc::TIOCGWINSZ | libc::TIOCGPGRP => Ok(errno(libc::ENOTTY)),
        _ => {
            let advice =
                "this request is not modelled (FIONBIO and FIONREAD belong to event loops)";
            Err(refuse(node, request, advice))
        }
    }
}

pub fn seek(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    Ok(match node.local.descriptors.get(&request.int(0)) {
        None => errno(libc::EBADF),
        Some(Descriptor::File) => {
            if node.stage == Stage::Running {
                node.mark_lasting("lseek");
            }
            Answer::LetRun
        }
        Some(_) => errno(libc::ESPIPE),
    })
}

pub fn status(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (fd, buffer) = match request.call.number {
        libc::SYS_newfstatat => {
            let Some(path) = request.path(1) else { return Ok(errno(libc::EFAULT)) };
            if request.int(3) & libc::AT_EMPTY_PATH == 0 || !path.is_empty() {
                if node.stage == Stage::Loading {
                    return Ok(errno(libc::ENOENT));
                }
                let advice = "files are not modelled: only the status of open descriptors is";
                return Err(refuse(node, request, advice));
            }
            (request.int(0), 2)
        }
        _ => (request.int(0), 1),
    };
    let kind = match node.local.descriptors.get(&fd) {
        None => return Ok(errno(libc::EBADF)),
        Some(Descriptor::File) => return Ok(Answer::LetRun),
        Some(Descriptor::Socket(_)) => libc::S_IFSOCK,
        Some(_) => libc::S_IFIFO,
    };
    // struct stat of x86-64: st_nlink at 16, st_mode at 24, st_blksize at 56.
    let mut stat = [0; 144];
    stat[16..24].copy_from_slice(&1u64.to_le_bytes());
    stat[24..28].copy_from_slice(&(kind | 0o600).to_le_bytes());
    stat[56..64].copy_from_slice(&4096u64.to_le_bytes());
    Ok(match request.output(buffer, &stat) {
        Some(_) => Answer::Return(0),
        None => errno(libc::EFAULT),
    })
}

pub fn working_directory(request: &Request) -> Result<Answer, Stop> {
    const ROOT: &[u8] = b"/\0";
    if request.raw(1) < ROOT.len() as u64 {
        return Ok(errno(libc::ERANGE));
    }
    Ok(match request.output(0, ROOT) {
        Some(written) => Answer::Return(written as i64),
        None => errno(libc::EFAULT),
    })
}

pub fn file_mask(node: &mut Node, request: &Request) -> Answer {
    let mask = request.int(0) as u32 & 0o777;
    Answer::Return(std::mem::replace(&mut node.local.file_mask, mask).into())
}
