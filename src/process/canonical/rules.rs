//! The rules of the canonical form, one by one.

use super::boot::Boot;
use super::describe::{Value, describe, first_difference};
use super::place::{Name, Place};
use super::synthetic::{
    DEPTH, Graph, Held, LIBRARY, MAPPED, PROGRAM, Placed, STACK, graph, plain, with, write,
};
use super::{Form, Input, Scratch, form};
use crate::process::arena::Object;
use crate::process::contract::ARENA_BASE;
use crate::process::layout::{Layout, Role};
use crate::process::memory::Mapping;
use crate::process::registers::{General, Registers};
use crate::process::snapshot::Snapshot;

/// The form where everything lies in the order in which it was made, and the other way round.
fn forms(graph: &Graph) -> (Form, Form) {
    let order: Vec<usize> = (0..graph.objects.len() + graph.freed).rev().collect();
    (graph.in_order().form(), graph.place(&order, &[3, 1]).form())
}

/// The digest that both placements have.
fn digest(graph: &Graph) -> u128 {
    let (a, b) = forms(graph);
    assert_eq!(a.digest, b.digest, "{graph:?}");
    assert_eq!((a.raw, a.unreached), (false, 0));
    a.digest
}

fn all_differ(graphs: &[Graph]) {
    for (number, a) in graphs.iter().enumerate() {
        for b in &graphs[..number] {
            assert_ne!(digest(a), digest(b), "{a:?}\n{b:?}");
        }
    }
}

#[test]
fn a_number_that_looks_like_a_name_is_a_number() {
    let list = [plain(b"one"), plain(b"two")];
    let named = graph(&list, &[Held::Into(0, 0), Held::Into(1, 2)]);
    let name = Name::Object(1, 2).encode();
    let number = graph(&list, &[Held::Into(0, 0), Held::Plain(name), Held::Into(1, 0)]);
    let known = graph(&list, &[Held::Into(0, 0), Held::Into(1, 2), Held::Into(1, 0)]);
    all_differ(&[named, number, known]);
}

#[test]
fn bytes_that_spell_the_end_of_an_object_and_the_head_of_the_next_are_bytes() {
    // No word was named, and an object comes that is not aligned by hand.
    let boundary =
        |length: u64| [[0; 4].as_slice(), &(8 | length << 16).to_le_bytes(), &[0; 8]].concat();
    let roots = [Held::Into(0, 0), Held::Into(1, 0)];
    for length in [0, 4] {
        let boundary = boundary(length);
        let long = plain(&[boundary.as_slice(), b"last"].concat());
        all_differ(&[
            graph(&[plain(b""), long], &roots),
            graph(&[plain(&boundary), plain(b"last")], &roots),
        ]);
    }
}

#[test]
fn names_differ() {
    let freed = |class, place, offset| Name::Freed { class, place, offset };
    let names = [
        Name::Object(0, 0),
        Name::Object(0, 1),
        Name::Object(1, 0),
        Name::Object((1 << 28) - 1, u32::MAX),
        freed(0, 0, 0),
        freed(0, 0, 1),
        freed(0, 1, 0),
        freed(1, 0, 0),
        freed(23, (1 << 28) - 1, (1 << 24) - 1),
        Name::Unreached(0),
        Name::Unreached(ARENA_BASE),
        Name::Elsewhere(ARENA_BASE),
    ];
    for (number, name) in names.iter().enumerate() {
        assert!(names[..number].iter().all(|other| other.encode() != name.encode()), "{name:?}");
    }
}

#[test]
fn one_past_the_end_belongs_to_the_object() {
    let list = [plain(b"12345678"), plain(b"")];
    let words = |offset| graph(&list, &[Held::Into(0, 0), Held::Into(0, offset), Held::Into(1, 0)]);
    all_differ(&[words(0), words(7), words(8)]);
    // Behind that is nothing that has a name.
    let placed = words(8).in_order();
    let behind = placed.heap.live[0].start + 9;
    let form = write(&placed, PROGRAM + 72, &behind.to_le_bytes()).form();
    assert!(form.raw);
}

#[test]
fn a_dangling_word_is_its_place_in_the_order_of_reuse() {
    let words = |freed, place, offset| Graph {
        freed,
        ..graph(&[plain(b"x")], &[Held::Into(0, 0), Held::Freed(place, offset)])
    };
    all_differ(&[words(2, 0, 0), words(2, 1, 0), words(2, 1, 8)]);
    assert_eq!(digest(&words(2, 1, 0)), digest(&words(3, 1, 0)));
}

#[test]
fn what_was_written_where_nothing_is_keeps_the_arena_as_it_is() {
    let node = Graph { freed: 1, ..graph(&[plain(b"x")], &[Held::Into(0, 0), Held::Freed(0, 0)]) };
    let placed = node.in_order();
    assert!(!placed.form().raw);
    let object = placed.heap.live[0];
    for address in [object.start + 1, object.start + 16, placed.heap.freed[0] + 47] {
        let (a, b) = (write(&placed, address, b"x").form(), write(&placed, address, b"y").form());
        assert!(a.raw && b.raw && a.digest != b.digest && a.placeless != b.placeless);
    }
    // Nobody has the address of what lies beyond.
    let record = write(&placed, ARENA_BASE + 8, b"x").form();
    assert_eq!(record, placed.form());
    // But a record counts where the arena does.
    let raw = write(&placed, object.start + 1, b"x");
    assert_ne!(raw.form().digest, write(&raw, ARENA_BASE + 8, b"x").form().digest);
}

#[test]
fn what_lies_behind_the_mark_keeps_the_arena_as_it_is() {
    let placed = graph(&[plain(b"x")], &[Held::Into(0, 0)]).in_order();
    let mut regions: Vec<_> =
        placed.snapshot.regions().map(|(r, bytes)| (r.start, r.role, bytes.to_vec())).collect();
    let used = regions[0].2.len() as u64;
    regions.insert(1, (ARENA_BASE + used + 8192, Role::Arena, vec![1; 4096]));
    let registers = placed.snapshot.registers.clone();
    let snapshot = Snapshot::for_tests(registers, Layout::default(), &regions);
    assert!(Placed { snapshot, ..placed }.form().raw);
}

#[test]
fn packed_words_are_found_at_any_place_of_an_object_but_not_of_data() {
    let next = [plain(b"next")];
    let at = |place, size| {
        let list = [next.as_slice(), &[with(&[(place, Held::Into(0, 0))], size)]].concat();
        graph(&list, &[Held::Into(1, 0)])
    };
    let places = [(0, 16), (1, 16), (5, 16), (8, 16), (3, 11), (0, 8), (12, 20)];
    all_differ(&places.map(|(place, size)| at(place, size)));
    let placed = graph(&next, &[Held::Into(0, 0), Held::Plain(0), Held::Plain(0)]).in_order();
    let word = placed.heap.live[0].start.to_le_bytes();
    let unaligned = write(&placed, PROGRAM + 77, &word).form();
    assert!(!unaligned.raw && unaligned != placed.form());
    let boot = Boot::default();
    let list = graph(&next, &[Held::Into(0, 0)]);
    let other = list.place(&[0], &[7]);
    let other = write(&other, PROGRAM + 77, &other.heap.live[0].start.to_le_bytes());
    let unaligned = write(&placed, PROGRAM + 77, &word);
    let difference = first_difference(&unaligned.input(&boot), &other.input(&boot));
    assert_eq!(difference.expect("a hidden address").place, Place::Static(PROGRAM + 72));
}

#[test]
fn shared_is_not_equal() {
    let leaf = plain(b"leaf");
    let shared = graph(std::slice::from_ref(&leaf), &[Held::Into(0, 0), Held::Into(0, 0)]);
    let equal = graph(&[leaf.clone(), leaf], &[Held::Into(0, 0), Held::Into(1, 0)]);
    all_differ(&[shared, equal]);
    let cell = |next| with(&[(0, Held::Into(next, 0))], 8);
    let short = graph(&[cell(1), cell(0)], &[Held::Into(0, 0), Held::Into(1, 0)]);
    let own = graph(&[cell(0), cell(1)], &[Held::Into(0, 0), Held::Into(1, 0)]);
    all_differ(&[short, own]);
}

#[test]
fn an_object_that_nothing_leads_to_keeps_its_address() {
    let alone = graph(&[plain(b"found"), plain(b"lost"), plain(b"more")], &[Held::Into(0, 0)]);
    let (a, b) = forms(&alone);
    assert_eq!((a.unreached, b.unreached), (2, 2));
    assert_ne!(a.digest, b.digest);
    assert_eq!(a.placeless, b.placeless);
    // Neither has one to which only such an object leads.
    let chain = [with(&[(0, Held::Into(1, 0)), (8, Held::Into(2, 0))], 16), plain(b"end")];
    let chain = graph(&[chain.as_slice(), &[plain(b"found")]].concat(), &[Held::Into(2, 0)]);
    let (a, b) = forms(&chain);
    assert_eq!(a.unreached, 2);
    assert_ne!(a.digest, b.digest);
    assert_eq!(a.placeless, b.placeless);
    let mut other = chain.clone();
    other.objects[0].words[1].1 = Held::Into(2, 1);
    assert_ne!(forms(&other).0.placeless, a.placeless);
    let mut told = Vec::new();
    let boot = Boot::default();
    describe(&chain.in_order().input(&boot), &mut |place, value| told.push((*place, value)));
    let start = chain.in_order().heap.live[0].start;
    let end = chain.in_order().heap.live[1].start;
    let name = |offset, name| (Place::Unreached(start, offset), Value::Name(name));
    assert!(told.contains(&name(0, Name::Unreached(end))));
    assert!(told.contains(&name(8, Name::Object(0, 0))));
}

#[test]
fn the_first_root_gives_the_first_number() {
    let list = [plain(b"a"), plain(b"b"), plain(b"c"), plain(b"d"), plain(b"e"), plain(b"f")];
    let node = Graph {
        objects: list.to_vec(),
        registers: vec![Held::Into(0, 0)],
        stack: vec![Held::Into(1, 0)],
        held: vec![Held::Into(2, 0)],
        mapped: vec![Held::Into(3, 0)],
        library: vec![Held::Into(4, 0)],
        program: vec![Held::Into(5, 0)],
        freed: 0,
    };
    let placed = node.in_order();
    let seen = describe(&placed.input(&Boot::default()), &mut |_, _| {});
    let from: Vec<Place> = seen.iter().map(|seen| seen.from).collect();
    let expected = [
        Place::Static(PROGRAM + 64),
        Place::Static(LIBRARY + 4096 + 128),
        Place::Static(MAPPED),
        Place::Held(0),
        Place::Stack(STACK + DEPTH as u64),
        Place::Register(0),
    ];
    assert_eq!(from, expected);
    assert_eq!(from[5].register(), Some(General::R15));
    let objects: Vec<Object> = placed.heap.live.iter().rev().copied().collect();
    assert_eq!(seen.iter().map(|seen| seen.object).collect::<Vec<_>>(), objects);
}

#[test]
fn every_word_is_told_once_with_its_place() {
    let list = [with(&[(8, Held::Into(1, 2)), (19, Held::Into(0, 0))], 30), plain(b"next")];
    let placed = graph(&list, &[Held::Into(0, 0)]).in_order();
    let mut told = Vec::new();
    describe(&placed.input(&Boot::default()), &mut |place, value| {
        if matches!(place, Place::Heap(0, _)) {
            told.push((*place, value));
        }
    });
    let at = |offset| Place::Heap(0, offset);
    let bits = |offset, length| (at(offset), Value::Bits(0, length));
    let expected = [
        (at(0), Value::Length(30, false)),
        bits(0, 8),
        (at(8), Value::Name(Name::Object(1, 2))),
        bits(16, 3),
        (at(19), Value::Name(Name::Object(0, 0))),
        bits(27, 3),
    ];
    assert_eq!(told, expected);
    assert_eq!(at(8).to_string(), "byte 8 of heap object 0");
    assert_eq!(Place::Register(3).to_string(), "register r12");
}

fn form_with_boot(placed: &Placed, boot: &Boot) -> u128 {
    form(&placed.input(boot), &mut Scratch::default()).digest
}

#[test]
fn a_page_is_a_token_while_it_is_as_at_the_boot() {
    let node = graph(&[plain(b"x")], &[Held::Into(0, 0)]);
    let placed = node.in_order();
    let boot = Boot::new(&placed.snapshot);
    let unchanged = |placed: &Placed| {
        let mut pages = Vec::new();
        describe(&placed.input(&boot), &mut |place, value| {
            if let (Place::Static(start), Value::Unchanged(count)) = (place, value) {
                pages.push((*start, count));
            }
        });
        pages
    };
    // The program's page holds an address.
    assert_eq!(unchanged(&placed), [(LIBRARY, 2), (MAPPED, 1)]);
    let changed = write(&placed, LIBRARY + 5000, b"changed");
    assert_eq!(unchanged(&changed), [(LIBRARY, 1), (MAPPED, 1)]);
    let (before, between) = (form_with_boot(&placed, &boot), form_with_boot(&changed, &boot));
    assert_ne!(before, between);
    let again = write(&changed, LIBRARY + 5000, &[0; 7]);
    assert_eq!(form_with_boot(&again, &boot), before);
    // The address in a page that is as at the boot is still followed.
    let elsewhere = node.place(&[0], &[9]);
    assert_eq!(form_with_boot(&elsewhere, &Boot::new(&elsewhere.snapshot)), before);
    // And the same token is another page after another boot.
    assert_ne!(form_with_boot(&changed, &Boot::new(&changed.snapshot)), before);
}

#[test]
fn what_is_below_the_red_zone_does_not_count() {
    let placed = Graph { stack: vec![Held::Plain(1)], ..Graph::default() }.in_order();
    let red = STACK + DEPTH as u64 - 128;
    assert_eq!(write(&placed, red - 1, b"x").form(), placed.form());
    assert_ne!(write(&placed, red, b"x").form(), placed.form());
}

#[test]
fn rights_and_mappings_count_but_not_how_far_the_stack_has_grown() {
    let placed = Graph::default().in_order();
    let layout = |name: &str, start, rights: &[u8; 4]| {
        let (name, rights) = (name.to_owned(), *rights);
        let end = 0x7fff_ffff_f000;
        let mapping = Mapping { start, end, writable: true, rights, written: true, own: 0, name };
        let layout = Layout::new(vec![mapping], Vec::new());
        let mut snapshot = placed.snapshot.clone();
        snapshot.layout = layout.into();
        Placed { snapshot, ..placed.clone() }.form().digest
    };
    assert_ne!(layout("", 0x7fff_0000_0000, b"rw-p"), layout("", 0x7fff_0000_0000, b"r--p"));
    assert_ne!(layout("", 0x7fff_0000_0000, b"rw-p"), layout("", 0x7fff_0000_1000, b"rw-p"));
    let stack = |start| layout("[stack]", start, b"rw-p");
    assert_eq!(stack(0x7fff_0000_0000), stack(0x7fff_0000_1000));
}

#[test]
fn vector_registers_hold_words_too() {
    let node = graph(&[plain(b"x")], &[]);
    let lane = |placed: &Placed| {
        let mut registers: Registers = placed.snapshot.registers.clone();
        registers.vector[160..168].copy_from_slice(&placed.heap.live[0].start.to_le_bytes());
        form(
            &Input { registers: &registers, ..placed.input(&Boot::default()) },
            &mut Scratch::default(),
        )
    };
    let (a, b) = (lane(&node.in_order()), lane(&node.place(&[0], &[5])));
    assert_eq!((a.unreached, a.digest), (0, b.digest));
}

#[test]
fn memory_that_is_used_again_changes_nothing() {
    let mut scratch = Scratch::default();
    let nodes = [
        graph(&[plain(&[1; 70000]), plain(b"lost")], &[Held::Into(0, 0)]),
        graph(&[plain(b"x")], &[Held::Into(0, 0)]),
        Graph { freed: 2, ..graph(&[plain(b"y")], &[Held::Freed(1, 0), Held::Into(0, 1)]) },
    ];
    for node in nodes.iter().cycle().take(6) {
        let placed = node.in_order();
        assert_eq!(form(&placed.input(&Boot::default()), &mut scratch), placed.form());
    }
}
