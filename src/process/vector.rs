//! The header of the vector and floating-point state, in the format of `XSAVE` (Intel SDM volume 1,
//! chapter 13): which parts of it the processor had in use. It differs from run to run while the state
//! that it describes does not, so it is made to follow from that.

use std::arch::x86_64::__cpuid_count;
use std::ops::Range;
use std::sync::LazyLock;

/// Where it stands.
pub(super) const HEADER: Range<usize> = 512..576;
/// The x87 and the SSE part, of which it must say that they are there for their control words to be
/// taken.
const LEGACY: u64 = 3;
/// By its number, where each part stands. A virtual machine takes long to answer; so it is asked once.
static PARTS: LazyLock<[Range<usize>; 63]> = LazyLock::new(|| {
    std::array::from_fn(|part| {
        let place = __cpuid_count(0xd, part as u32);
        let start = place.ebx as usize;
        start..start + place.eax as usize
    })
});

/// Make `header` say that those parts of `image` are in use that have a bit that is set, of those that
/// it said so of, and the legacy ones: an extended part without one is as if it had never been used.
pub(super) fn mark_what_is_in_use(header: &mut [u8], image: &[u8]) {
    let said = u64::from_le_bytes(header[..8].try_into().expect("a header has 64 bytes"));
    let in_use = |part: &usize| {
        let bytes = image.get(PARTS[*part].clone());
        bytes.is_none_or(|bytes| bytes.iter().any(|&byte| byte != 0))
    };
    let extended = (2..PARTS.len()).filter(|part| (said >> part) & 1 == 1).filter(in_use);
    let used = extended.fold(LEGACY, |all, part| all | 1 << part);
    header[..8].copy_from_slice(&used.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// YMM_Hi128, which stands behind the header in every processor that has it.
    const AVX: u64 = 4;

    #[test]
    fn a_part_is_in_use_where_it_has_a_bit_that_is_set() {
        let header_of = |said: u64, image: &[u8]| {
            let mut header = [0; 64];
            header[..8].copy_from_slice(&said.to_le_bytes());
            mark_what_is_in_use(&mut header, image);
            assert_eq!(header[8..], [0; 56]);
            u64::from_le_bytes(header[..8].try_into().expect("eight bytes"))
        };
        let mut image = vec![0; 832];
        assert_eq!(header_of(AVX, &image), LEGACY);
        assert_eq!(header_of(0, &image), LEGACY);
        if std::arch::is_x86_feature_detected!("avx") {
            image[700] = 1;
            assert_eq!(header_of(AVX, &image), LEGACY | AVX);
            assert_eq!(header_of(LEGACY, &image), LEGACY);
        }
    }
}
