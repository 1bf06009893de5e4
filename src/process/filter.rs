//! The seccomp filter, made from the call table by libseccomp: what the table allows runs, everything
//! else, whatever the architecture of the call, is a user notification.

use std::io::{Read, Seek};

use libseccomp::{ScmpAction, ScmpFilterContext, ScmpSyscall};

use super::calls::{CALLS, Treatment};
use crate::error::Error;

/// The filter as a classic BPF program, ready for `seccomp(2)`.
pub fn program() -> Result<Vec<libc::sock_filter>, Error> {
    build().map_err(|text| {
        Error::Host(format!(
            "libseccomp cannot make the filter: {text}; install libseccomp 2.5 or newer"
        ))
    })
}

fn build() -> Result<Vec<libc::sock_filter>, String> {
    let say = |error: libseccomp::error::SeccompError| error.to_string();
    let mut filter = ScmpFilterContext::new(ScmpAction::Notify).map_err(say)?;
    filter.set_act_badarch(ScmpAction::Notify).map_err(say)?;
    for call in CALLS.iter().filter(|call| call.treatment == Treatment::Allowed) {
        let number = ScmpSyscall::from(call.number as i32);
        filter.add_rule(ScmpAction::Allow, number).map_err(say)?;
    }
    let mut file = tempfile().map_err(|error| format!("memfd_create: {error}"))?;
    filter.export_bpf(&file).map_err(say)?;
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(|e| e.to_string())?;
    Ok(bytes
        .chunks_exact(8)
        .map(|b| libc::sock_filter {
            code: u16::from_ne_bytes([b[0], b[1]]),
            jt: b[2],
            jf: b[3],
            k: u32::from_ne_bytes([b[4], b[5], b[6], b[7]]),
        })
        .collect())
}

fn tempfile() -> nix::Result<std::fs::File> {
    nix::sys::memfd::memfd_create(c"cmc-filter", nix::sys::memfd::MFdFlags::MFD_CLOEXEC)
        .map(std::fs::File::from)
}
