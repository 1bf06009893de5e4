//! What is left out of the canonical form: what is ignored, and what tests forget.

use std::ops::Range;

use super::boot::Boot;
use super::place::Place;
use super::synthetic::{Graph, Held, PROGRAM, Placed, graph, plain, with, write};
use super::{Input, Paths, Reached, RootClass, Scratch, form};

/// Objects found in static memory have label 1, those behind their second word label 2, of which the
/// last byte is left out.
struct Second;

impl Paths for Second {
    fn label(&self, found: &Reached) -> u32 {
        match (found.place, found.label) {
            (Place::Static(_), _) => 1,
            (Place::Heap(_, 8), 1) if found.offset == 0 => 2,
            _ => 0,
        }
    }

    fn ignored(&self, label: u32, size: u32, ranges: &mut Vec<Range<usize>>) {
        if label == 2 {
            ranges.push(size as usize - 1..size as usize);
        }
    }
}

#[test]
fn what_is_ignored_is_left_out_and_nothing_else_is() {
    let list = |a: &[u8], b: &[u8]| {
        let head = with(&[(0, Held::Into(1, 0)), (8, Held::Into(2, 0))], 16);
        graph(&[head, plain(a), plain(b)], &[Held::Into(0, 0)])
    };
    let of = |graph: &Graph| {
        let placed = graph.in_order();
        let boot = Boot::default();
        let input = Input { paths: Some(&Second), ..placed.input(&boot) };
        form(&input, &mut Scratch::default()).digest
    };
    let before = of(&list(b"ab", b"cd"));
    assert_eq!(of(&list(b"ab", b"ce")), before);
    for other in [list(b"ab", b"ed"), list(b"ae", b"cd"), list(b"ab", b"cde"), list(b"ab", b"c")] {
        assert_ne!(of(&other), before);
    }
    // Left out is not zero.
    let zero = list(b"ab", b"c\0");
    assert_ne!(of(&zero), zero.in_order().form().digest);
}

#[test]
fn ignored_words_lead_nowhere() {
    let placed = graph(&[plain(b"x")], &[Held::Into(0, 0), Held::Plain(5)]).in_order();
    let of = |placed: &Placed, range: Range<u64>| {
        let boot = Boot::new(&placed.snapshot);
        let input = Input { ignored: &[range], ..placed.input(&boot) };
        form(&input, &mut Scratch::default())
    };
    let second = PROGRAM + 72..PROGRAM + 80;
    let before = of(&placed, second.clone());
    assert_eq!(
        of(&write(&placed, PROGRAM + 72, b"six"), second.clone()).placeless,
        before.placeless
    );
    assert_ne!(of(&write(&placed, PROGRAM + 80, b"six"), second).placeless, before.placeless);
    assert_eq!(before.unreached, 0);
    assert_eq!(of(&placed, PROGRAM + 68..PROGRAM + 69).unreached, 1);
}

#[test]
fn a_class_of_roots_can_be_forgotten() {
    let node = Graph {
        program: vec![Held::Plain(1)],
        library: vec![Held::Plain(2)],
        mapped: vec![Held::Plain(3)],
        held: vec![Held::Plain(4)],
        stack: vec![Held::Plain(5)],
        registers: vec![Held::Plain(6)],
        ..Graph::default()
    };
    let classes = [
        RootClass::ProgramData,
        RootClass::LibraryData,
        RootClass::Mapped,
        RootClass::Held,
        RootClass::Stack,
        RootClass::Registers,
    ];
    for (number, class) in classes.into_iter().enumerate() {
        let of = |change: usize| {
            let mut node = node.clone();
            let lists = [
                &mut node.program,
                &mut node.library,
                &mut node.mapped,
                &mut node.held,
                &mut node.stack,
                &mut node.registers,
            ];
            for (at, list) in lists.into_iter().enumerate().filter(|(at, _)| *at == change) {
                list[0] = Held::Plain(at as u64 + 100);
            }
            let placed = node.in_order();
            let dropped = [class];
            let boot = Boot::default();
            let input = Input { dropped: &dropped, ..placed.input(&boot) };
            form(&input, &mut Scratch::default()).digest
        };
        for change in 0..classes.len() {
            assert_eq!(of(change) == of(usize::MAX), change == number, "{class:?}, {change}");
        }
    }
}
