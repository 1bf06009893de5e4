//! What the loader does between `execve` and the preload's hello: it opens the program's libraries
//! for reading. The preload is named by a fixed path, so that a node's environment is the same on
//! every host; the checker opens the real file.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::super::contract;
use super::super::local::Descriptor;
use super::super::node::{Node, Stage};
use super::super::request::{Request, hexadecimal};
use super::{Answer, errno, refuse};
use crate::system::Stop;

pub fn open(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let at = usize::from(request.call.number == libc::SYS_openat);
    let flags = request.int(at + 1);
    let Some(path) = request.path(at) else { return Ok(errno(libc::EFAULT)) };
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY
        || flags & (libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND) != 0;
    if writes {
        let advice = "opens a file for writing: files are not modelled; keep what must survive a \
                      crash in records on descriptor 193, and logs on standard error";
        return Err(refuse(node, request, advice));
    }
    if node.stage != Stage::Loading && is_time_zone(&path) {
        // libc asks for a file whatever TZ says, and goes by TZ itself, which is UTC0.
        return Ok(errno(libc::ENOENT));
    }
    if node.stage != Stage::Loading {
        let advice = "opens a file: files are not modelled; give the program what it needs by its \
                      arguments";
        return Err(refuse(node, request, advice));
    }
    let real = if path == contract::PRELOAD_PATH.as_bytes() {
        node.setting.preload.clone()
    } else {
        node.setting.directory.join(PathBuf::from(OsStr::from_bytes(&path)))
    };
    match File::open(real) {
        Ok(file) => {
            let fd = node.local.lowest_free();
            node.local.descriptors.insert(fd, Descriptor::File);
            Ok(Answer::File(file, fd))
        }
        Err(error) => Ok(errno(error.raw_os_error().unwrap_or(libc::EIO))),
    }
}

/// Whether `path` is one that libc looks for a time zone in.
fn is_time_zone(path: &[u8]) -> bool {
    path.starts_with(b"/usr/share/zoneinfo/") || path == b"/etc/localtime"
}

pub fn access(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    if node.stage == Stage::Loading {
        return Ok(errno(libc::ENOENT));
    }
    let advice = "looks for a file: files are not modelled";
    Err(refuse(node, request, advice))
}

/// The checker's own `execve` was let through at launch; this one is the program's.
pub fn execute(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let advice = "starts another program: name that program in the model file";
    Err(refuse(node, request, advice))
}

pub fn preload(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (first, second) = (request.raw(0), request.raw(1));
    match request.call.number as u64 {
        contract::CALL_HELLO => {
            let said = [first, second, request.raw(2)];
            let expected = [contract::PROTOCOL, contract::ARENA_BASE, contract::ARENA_SIZE];
            if node.stage == Stage::Running || said != expected {
                let text = format!(
                    "{} is not the preload of this cmc (it says {}, expected {}): reinstall both \
                     together, or run `make all`",
                    node.setting.preload.display(),
                    hexadecimal(&said),
                    hexadecimal(&expected)
                );
                return Err(node.cannot(&text).into());
            }
            node.stage = Stage::Running;
            Ok(Answer::Park)
        }
        contract::CALL_LOG => {
            let advice = "is the preload's own, before the program runs";
            Err(refuse(node, request, advice))
        }
        contract::CALL_ARENA_FULL => {
            let text = format!(
                "asked for {first} bytes more than its heap of {} MiB holds: it leaks, or needs a \
                 smaller load",
                contract::ARENA_SIZE >> 20
            );
            Err(node.cannot(&text).into())
        }
        _ => {
            let what = match second {
                contract::MISUSE_OVERRUN => "wrote past the end of a heap object",
                _ => "freed, or grew, something that is not a live heap object",
            };
            Err(node.breach("signal", format!("{what} at {first:#x}, {}", request.place())))
        }
    }
}
