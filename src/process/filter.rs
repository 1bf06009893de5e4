//! The seccomp filter, made from the call table by libseccomp: what the table allows runs, and the two
//! calls by which the preload maps its log; everything else, whatever the architecture of the call, is a
//! user notification.

use std::io::{Read, Seek};

use libseccomp::{ScmpAction, ScmpArgCompare, ScmpCompareOp, ScmpFilterContext, ScmpSyscall};

use super::calls::{CALLS, Treatment};
use super::contract::{LOG_BASE, LOG_FD, LOG_SIZE};
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
    // Only the preload has that descriptor, until it has closed it: for whoever calls so later it is
    // not open, as it would be told otherwise.
    let map = [
        LOG_BASE,
        LOG_SIZE,
        (libc::PROT_READ | libc::PROT_WRITE) as u64,
        (libc::MAP_SHARED | libc::MAP_FIXED) as u64,
        LOG_FD,
        0,
    ];
    for (number, arguments) in [(libc::SYS_mmap, &map[..]), (libc::SYS_close, &[LOG_FD])] {
        let equal = |(place, &value): (usize, &u64)| {
            ScmpArgCompare::new(place as u32, ScmpCompareOp::Equal, value)
        };
        let equal: Vec<_> = arguments.iter().enumerate().map(equal).collect();
        let number = ScmpSyscall::from(number as i32);
        filter.add_rule_conditional(ScmpAction::Allow, number, &equal).map_err(say)?;
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
