//! Where a function goes on when a call in it ends in an exception or a cancellation: its table of
//! landing pads, as in `.gcc_except_table` (Itanium C++ ABI: exception handling, level II).

use std::ops::Range;

/// One record of the table: which landing pad, if one, belongs to calls in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The linked addresses of the instructions.
    pub range: Range<u64>,
    /// The linked address of the landing pad.
    pub pad: Option<u64>,
}

/// `DW_EH_PE_omit`: the value is not there.
const OMITTED: u8 = 0xff;
const ULEB128: u8 = 0x01;
const DATA4: u8 = 0x03;

/// The sites of the function that starts at `function`; `None` for a table of an uncommon shape.
pub fn sites(mut table: &[u8], function: u64) -> Option<Vec<Site>> {
    // Landing pads are counted from the function, unless it says otherwise.
    if byte(&mut table)? != OMITTED {
        return None;
    }
    if byte(&mut table)? != OMITTED {
        uleb128(&mut table)?;
    }
    let encoding = byte(&mut table)?;
    let length = usize::try_from(uleb128(&mut table)?).ok()?;
    let mut records = table.get(..length)?;
    let mut sites = Vec::new();
    while !records.is_empty() {
        let start = function.checked_add(value(&mut records, encoding)?)?;
        let end = start.checked_add(value(&mut records, encoding)?)?;
        let pad = value(&mut records, encoding)?;
        uleb128(&mut records)?;
        let pad = (pad != 0).then(|| function.checked_add(pad));
        sites.push(Site { range: start..end, pad: pad.map_or(Some(None), |pad| pad.map(Some))? });
    }
    Some(sites)
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

fn value(bytes: &mut &[u8], encoding: u8) -> Option<u64> {
    match encoding {
        ULEB128 => uleb128(bytes),
        DATA4 => {
            let (first, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u32::from_le_bytes(*first).into())
        }
        _ => None,
    }
}

fn uleb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let next = byte(bytes)?;
        value |= u64::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_as_compilers_write_it_is_read() {
        // No start of the pads, no types, sites in ULEB128; [4, 9) lands at 0x20, [9, 0x8d) nowhere.
        let table = [0xff, 0xff, 1, 9, 4, 5, 0x20, 0, 9, 0x84, 1, 0, 0];
        let expected = vec![
            Site { range: 0x1004..0x1009, pad: Some(0x1020) },
            Site { range: 0x1009..0x108d, pad: None },
        ];
        assert_eq!(sites(&table, 0x1000), Some(expected));
        for cut in 0..table.len() {
            assert_eq!(sites(&table[..cut], 0x1000), None, "{cut}");
        }
    }

    #[test]
    fn a_table_of_another_shape_is_not_guessed() {
        assert_eq!(sites(&[0x1b, 0, 0, 0, 0, 0xff, 1, 0], 0), None);
        assert_eq!(sites(&[0xff, 0xff, 0x1b, 4, 0, 0, 0, 0], 0), None);
    }
}
