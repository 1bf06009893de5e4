//! Files that are not what they should be: they may be refused or understood, but nothing else.

use std::fs;
use std::sync::OnceLock;

use cmc::process::liveness::Code;
use goblin::elf::Elf;
use proptest::prelude::*;

use crate::subject::compiled;
use crate::temporary::folder;

/// A small library, and the addresses of its labels.
fn library() -> &'static (Vec<u8>, Vec<u64>) {
    static LIBRARY: OnceLock<(Vec<u8>, Vec<u64>)> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = folder("broken");
        let path = compiled(&folder, "cc", &["-shared", "-nostdlib"], "known.S");
        let bytes = fs::read(path.expect("a compiler")).expect("a library");
        let elf = Elf::parse(&bytes).expect("an ELF file");
        let labels = elf.syms.iter().map(|symbol| symbol.st_value).filter(|&at| at != 0).collect();
        (bytes, labels)
    })
}

fn ask(bytes: Vec<u8>, labels: &[u64]) {
    if let Some(code) = Code::new(bytes, None) {
        for &label in labels {
            let _ = code.at(label);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn broken_bytes_end_in_nothing_worse_than_ignorance(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (bytes, labels) = library();
        let mut bytes = bytes.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        ask(bytes, labels);
    }

    #[test]
    fn broken_code_and_frame_tables_end_in_nothing_worse_than_ignorance(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let (bytes, labels) = library();
        let elf = Elf::parse(bytes).expect("an ELF file");
        let mut broken = bytes.clone();
        let named = |name: &str| {
            let header = elf.section_headers.iter().find(|header| {
                elf.shdr_strtab.get_at(header.sh_name) == Some(name)
            });
            header.and_then(|header| header.file_range()).expect("a section")
        };
        let places: Vec<usize> = named(".text").chain(named(".eh_frame")).collect();
        for (at, byte) in changes {
            broken[places[at.index(places.len())]] = byte;
        }
        ask(broken, labels);
    }
}
