//! What is left out of the canonical form: what is ignored, and what tests forget.

use std::ops::Range;

use super::boot::Boot;
use super::synthetic::{Graph, Held, PROGRAM, Placed, graph, plain, with, write};
use super::{Input, Paths, RootClass, Scratch, form};

/// The last byte of the object with this number is left out.
struct LastOf(u32);

impl Paths for LastOf {
    fn ignored(&self, index: u32, size: u32, ranges: &mut Vec<Range<usize>>) {
        if index == self.0 {
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
        let third = LastOf(2);
        let input = Input { paths: Some(&third), ..placed.input(&boot) };
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
fn ignored_registers_lead_nowhere() {
    let node = |held| Graph { registers: vec![Held::Plain(7), held], ..graph(&[plain(b"x")], &[]) };
    let of = |held, range: Range<usize>| {
        let placed = node(held).in_order();
        let boot = Boot::default();
        let input = Input { ignored_registers: &[range], ..placed.input(&boot) };
        form(&input, &mut Scratch::default())
    };
    let (number, address) = (Held::Plain(5), Held::Into(0, 0));
    // r14 is the second of the identity.
    assert_eq!(of(number, 8..16), of(address, 8..16));
    assert_eq!(of(address, 8..16).unreached, 1);
    assert_ne!(of(number, 0..8).digest, of(Held::Plain(6), 0..8).digest);
}

#[test]
fn bytes_of_objects_that_nothing_leads_to_are_left_out_too() {
    let of = |lost: &[u8], reversed: bool| {
        let graph = graph(&[plain(b"found"), plain(lost)], &[Held::Into(0, 0)]);
        let placed = if reversed { graph.place(&[1, 0], &[3]) } else { graph.in_order() };
        let index = u32::from(!reversed);
        let boot = Boot::default();
        let input = Input { paths: Some(&LastOf(index)), ..placed.input(&boot) };
        form(&input, &mut Scratch::default())
    };
    let before = of(b"lost", false);
    assert_eq!(before.unreached, 1);
    assert_eq!(of(b"losu", false), before);
    assert_eq!(of(b"losu", true).placeless, before.placeless);
    assert_ne!(of(b"host", true).placeless, before.placeless);
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
