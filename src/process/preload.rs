//! Where `cmc-preload.so` is: near the file that this code is in, which is the command, `libcmc.so`, or
//! a program that the archive was linked into.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::Error;

const NAME: &str = "cmc-preload.so";

/// The preload that belongs to this code: beside the file that it is in; in `cmc/` beside it, as
/// `make install` puts it for the library; or in `../lib/cmc/`, as it does for the command.
pub fn find() -> Result<PathBuf, Error> {
    let own = own_file()?;
    let directory = own.parent().unwrap_or(Path::new("/"));
    let prefix = directory.parent().unwrap_or(Path::new("/"));
    let places = [
        directory.join(NAME),
        directory.join("cmc").join(NAME),
        prefix.join("lib").join("cmc").join(NAME),
    ];
    let found = places.iter().find(|place| place.exists());
    found.cloned().ok_or_else(|| {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        Error::Host(format!(
            "there is no {NAME}; looked for {}; run `make all`, reinstall cmc, or name the preload: \
             --preload=FILE, or preload in a CmcSearch",
            places.join(", ")
        ))
    })
}

/// The file that this code is mapped from.
fn own_file() -> Result<PathBuf, Error> {
    let refused = |error| Error::host("/proc/self/maps", &error, "mount /proc");
    let maps = fs::read("/proc/self/maps").map_err(refused)?;
    let here = own_file as fn() -> Result<PathBuf, Error> as usize;
    let line = maps.split(|&byte| byte == b'\n').find(|line| holds(line, here));
    let path = line.and_then(path).ok_or_else(|| {
        Error::Host(format!("/proc/self/maps does not say where this code is; name the {NAME}"))
    })?;
    Ok(PathBuf::from(OsStr::from_bytes(path)))
}

/// Whether a line of `/proc/PID/maps` is about `address`.
fn holds(line: &[u8], address: usize) -> bool {
    let range = line.split(|&byte| byte == b' ').next().unwrap_or_default();
    let range = std::str::from_utf8(range).ok().and_then(|range| range.split_once('-'));
    let number = |text| usize::from_str_radix(text, 16).ok();
    range
        .and_then(|(start, end)| Some(number(start)?..number(end)?))
        .is_some_and(|range| range.contains(&address))
}

/// The path in a line of `/proc/PID/maps`: behind five words, from a slash to the end.
fn path(line: &[u8]) -> Option<&[u8]> {
    let slash = line.iter().position(|&byte| byte == b'/')?;
    Some(&line[slash..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_code_is_in_this_program() {
        let program = std::env::current_exe().and_then(fs::canonicalize).expect("/proc");
        assert_eq!(own_file(), Ok(program));
    }

    #[test]
    fn a_line_of_maps_is_a_range_and_a_path() {
        let line = b"7f10-7f20 r-xp 00002000 fe:01 12  /usr/lib/a b.so";
        assert!(holds(line, 0x7f10) && holds(line, 0x7f1f) && !holds(line, 0x7f20));
        assert_eq!(path(line), Some(&b"/usr/lib/a b.so"[..]));
        assert_eq!(path(b"7f10-7f20 rw-p 00000000 00:00 0 "), None);
        assert!(!holds(b"", 0));
    }
}
