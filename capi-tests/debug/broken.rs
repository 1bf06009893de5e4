//! Files that are cut short or have wrong bits: an answer may be less, and comes.

use std::sync::OnceLock;

use cmc::process::debug::{DebugInfo, Indices, Keyword, Place};
use goblin::elf::Elf;
use proptest::prelude::*;

use crate::compiled::compile;

struct Files {
    whole: Vec<Vec<u8>>,
    /// By file, where its debug sections are, and its call frame information.
    sections: Vec<Vec<std::ops::Range<usize>>>,
}

fn files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let ways = [["-O2", "-gdwarf-5"], ["-O0", "-gdwarf-4"]];
        let paths = ways.map(|flags| compile("cc", &flags, &["locals.c"]));
        let whole: Vec<_> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
        for path in paths {
            let _ = std::fs::remove_file(path);
        }
        let sections = whole.iter().map(|bytes| sections(bytes)).collect();
        Files { whole, sections }
    })
}

fn sections(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let elf = Elf::parse(bytes).unwrap();
    let named = elf.section_headers.iter().filter(|header| {
        let name = elf.shdr_strtab.get_at(header.sh_name).unwrap_or_default();
        name.starts_with(".debug") || name == ".eh_frame"
    });
    named.filter_map(|header| header.file_range()).collect()
}

/// Ask everything.
fn ask(bytes: Vec<u8>) {
    let debug = DebugInfo::of(bytes);
    let _ = debug.has_types();
    for pc in (0x1000..0x1900).step_by(37) {
        let _ =
            (debug.function_at(pc), debug.dead_ranges(pc), debug.extents(pc), debug.code_of(pc));
        for local in debug.locals(pc) {
            if let Some(of) = local.of {
                let _ = (of.name(), of.size(), of.name_of(9, Indices::Exact), of.member("a.b[1]"));
                let _ = of.pointee().map(|of| of.name_of(1 << 40, Indices::Any));
            }
        }
    }
    for address in (0x3000..0x5000).step_by(97) {
        let _ = debug.global_at(address);
    }
    let _ = debug.type_named(Keyword::Struct, "pair");
    for place in ["walk:buffer", "walk:pair.b", "stdout->_IO_read_ptr->*", "struct frame.pc", "x"] {
        let _ = Place::parse(place).unwrap().resolve(&debug);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn wrong_bits_in_debug_sections_are_survived(
        file in 0usize..2,
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let files = files();
        let mut bytes = files.whole[file].clone();
        for (section, at, value) in flips {
            let range = section.get(&files.sections[file]).clone();
            bytes[range.start + at.index(range.len())] = value;
        }
        ask(bytes);
    }

    #[test]
    fn wrong_bits_in_the_file_are_survived(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9),
    ) {
        let mut bytes = files().whole[0].clone();
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        ask(bytes);
    }

    #[test]
    fn files_cut_short_are_survived(file in 0usize..2, length in any::<prop::sample::Index>()) {
        let bytes = &files().whole[file];
        ask(bytes[..length.index(bytes.len())].to_vec());
    }
}
