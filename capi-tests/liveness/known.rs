//! Functions in assembly whose live cells are written beside them.

use std::fs;
use std::ops::Range;

use cmc::process::liveness::{Code, Object, Point, REGISTERS, Reads, RegisterSet};
use goblin::elf::Elf;

use crate::subject::compiled;
use crate::temporary::folder;

const SOURCE: &str = include_str!("known.S");

/// The objects of the frames, where a line of the source says that they are known.
fn objects(_: Range<u64>) -> Option<Vec<Object>> {
    Some(vec![
        Object { bytes: -64..-56, reach: -64..-56, scalar: false },
        Object { bytes: -48..-32, reach: -48..-28, scalar: false },
        Object { bytes: -28..-24, reach: -28..-24, scalar: true },
    ])
}

/// When a cell is read, as the source writes it.
fn said(point: &Point, cell: &str) -> String {
    let reads = match cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']')) {
        Some(offset) => {
            let offset: i32 = offset.parse().expect("an offset");
            let run = point.slots.iter().find(|run| run.start <= offset && offset < run.end);
            run.map_or(Reads::ALWAYS, |run| run.reads)
        }
        None => {
            let named = RegisterSet::ALL.iter().find(|register| format!("{register:?}") == cell);
            point.registers[named.expect("a register").number()]
        }
    };
    format!("{reads:?}").replace(", ", ",")
}

/// What the source says and what is found differ so.
fn differences(source: &str) -> Vec<String> {
    let folder = folder("known");
    let path = compiled(&folder, "cc", &["-shared", "-nostdlib"], "known.S").expect("a compiler");
    let bytes = fs::read(path).expect("a library");
    let elf = Elf::parse(&bytes).expect("an ELF file");
    let label = |name: &str| {
        let named = |symbol: &goblin::elf::Sym| elf.strtab.get_at(symbol.st_name) == Some(name);
        elf.syms.iter().find(named).unwrap_or_else(|| panic!("a symbol {name}")).st_value
    };
    let without = Code::new(bytes.clone(), None).expect("code");
    let with = Code::new(bytes.clone(), Some(Box::new(objects))).expect("code");
    let mut differences = Vec::new();
    for line in source.lines().filter_map(|line| line.strip_prefix("#: ")) {
        let mut words = line.split(' ').peekable();
        let name = words.next().expect("a label");
        let code = if words.next_if_eq(&"objects").is_some() { &with } else { &without };
        let point = code.at(label(name)).unwrap_or_else(|| panic!("{name}"));
        for word in words {
            let (cell, reads) = word.split_once('=').expect("a cell and its reads");
            let found = said(&point, cell);
            if found != reads {
                differences.push(format!("{name}: {cell} is said to be {reads}, found {found}"));
            }
        }
    }
    differences
}

#[test]
fn cells_are_live_as_the_source_says() {
    assert_eq!(differences(SOURCE), Vec::<String>::new());
    let wrong = differences(&SOURCE.replace("[-12]={}", "[-12]=always"));
    assert!(wrong.contains(&"torn.at: [-12] is said to be always, found {}".to_owned()));
}

#[test]
fn a_place_that_is_behind_no_call_is_taken_to_read_everything() {
    let folder = folder("place");
    let path = compiled(&folder, "cc", &["-shared", "-nostdlib"], "known.S").expect("a compiler");
    let bytes = fs::read(path).expect("a library");
    let elf = Elf::parse(&bytes).expect("an ELF file");
    let named = |symbol: &goblin::elf::Sym| elf.strtab.get_at(symbol.st_name) == Some("saved.at");
    let at = elf.syms.iter().find(named).expect("the label").st_value;
    let code = Code::new(bytes.clone(), None).expect("code");
    // Behind the load that follows.
    let point = code.at(at + 3).expect("a row");
    assert!(!point.known && point.slots.is_empty());
    assert!(point.registers.iter().all(|reads| reads.always()));
    assert_eq!(point.registers.len(), REGISTERS);
    assert!(code.at(8).is_none());
}
