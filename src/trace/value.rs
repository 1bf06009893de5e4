//! Values of a trace's header as text: plain where that reads back, else in double quotes.

use std::fmt::Write as _;

/// `value` as it stands in a header: quoted where it would not read back otherwise.
pub(super) fn written(value: &str) -> String {
    let plain = !value.is_empty()
        && !value.starts_with('"')
        && value.trim() == value
        && !value.contains(char::is_control);
    if plain {
        return value.to_owned();
    }
    let mut quoted = String::from('"');
    for char in value.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            _ if char.is_control() => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(char));
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// What [`written`] wrote.
pub(super) fn read(value: &str) -> Result<String, String> {
    let Some(quoted) = value.strip_prefix('"') else {
        return if value.is_empty() || value.trim() != value || value.contains(char::is_control) {
            Err(format!("put the value {value:?} in double quotes"))
        } else {
            Ok(value.to_owned())
        };
    };
    let fault = || format!("{value} is no quoted string; it knows \\\\, \\\" and \\u{{HEX}}");
    let mut out = String::new();
    let mut rest = quoted.chars();
    loop {
        match rest.next().ok_or_else(fault)? {
            '"' => break,
            '\\' => match rest.next() {
                Some(char @ ('"' | '\\')) => out.push(char),
                Some('u') => {
                    let tail = rest.as_str().strip_prefix('{').ok_or_else(fault)?;
                    let (digits, tail) = tail.split_once('}').ok_or_else(fault)?;
                    let code = u32::from_str_radix(digits, 16).map_err(|_| fault())?;
                    out.push(char::from_u32(code).ok_or_else(fault)?);
                    rest = tail.chars();
                }
                _ => return Err(fault()),
            },
            char => out.push(char),
        }
    }
    if rest.as_str().is_empty() { Ok(out) } else { Err(fault()) }
}
