//! The checker's reader of the heap, against real heaps of both placements, whole and overwritten.

use std::fs;
use std::process::Command;

use cmc::process::arena::{Heap, Hit, Placement};
use cmc::process::contract;

use crate::placements::answered;
use crate::{compile, hexadecimal, root, run, text};

/// What `image.c` wrote and printed.
fn image(test: &str, placement: Placement) -> (Vec<u8>, String) {
    let program = compile(test, "image", &[]);
    let file = program.with_extension("arena");
    let path = file.to_str().expect("a path in UTF-8");
    let output = run(&mut answered(test, &program, placement.answer() as u64, path));
    assert!(output.status.success(), "{} {}", output.status, text(&output.stderr));
    (fs::read(file).expect("image.c wrote it"), text(&output.stdout))
}

#[test]
fn the_checker_finds_in_the_arena_what_the_program_has_there() {
    for (test, placement) in [("reads", Placement::First), ("reads-2", Placement::Permuted)] {
        let (bytes, said) = image(test, placement);
        let heap = Heap::read(&bytes).expect("a whole heap");
        assert_eq!((heap.placement(), heap.used()), (placement, bytes.len() as u64));
        assert_eq!(heap.stray(&bytes), None, "no byte of the program outlives its object");
        let (mut live, mut free) = (0, [0; contract::CLASSES as usize]);
        for line in said.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
            let number = |word: usize| line[word].parse::<u32>().expect("a number");
            if line[0] == "live" {
                let (address, size) = (hexadecimal(line[1]), number(2));
                let Hit::Live { index, .. } = heap.find(address) else {
                    panic!("{line:?}: {:?}", heap.find(address));
                };
                let object = heap.objects()[index as usize];
                assert_eq!((object.start, object.size), (address, size));
                let end = address + u64::from(size);
                let expected = Hit::Live { start: address, size, index };
                assert_eq!(heap.find(end), expected);
                assert_eq!(heap.find(end + 1), Hit::Elsewhere);
                live += 1;
            } else {
                let (class, start) = (number(1), hexadecimal(line[2]));
                let place = free[class as usize];
                let Hit::Free { room, .. } = heap.find(start) else { panic!("{line:?}") };
                let expected = Hit::Free { class, place, start, room, offset: 31 };
                assert_eq!(heap.find(start + 31), expected);
                free[class as usize] += 1;
            }
        }
        assert!(live > 300 && free.iter().sum::<u32>() > 100, "{live} {free:?}");
        // The two streams of the program, which hold no buffer of their own.
        assert!((live..live + 3).contains(&heap.objects().len()));
        assert!(heap.objects().is_sorted_by_key(|object| object.start));
    }
}

#[test]
fn a_heap_of_which_any_word_was_overwritten_is_read_without_harm() {
    let (whole, _) = image("broken", Placement::First);
    let mut heap = Heap::default();
    let mut errors = 0;
    let mut seed = 1u64;
    let draw = |seed: &mut u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) as usize
    };
    let mut bytes = whole.clone();
    for round in 0..4000 {
        // The header and the first table, then anywhere.
        let range = if round % 2 == 0 { 2 * contract::PAGE as usize } else { bytes.len() };
        let at = draw(&mut seed) % (range / 4) * 4;
        let word = draw(&mut seed) as u32 >> (draw(&mut seed) % 32);
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        match heap.read_anew(&bytes) {
            Err(why) => {
                assert!(why.starts_with("it has overwritten the records of its heap: "), "{why}");
                errors += 1;
            }
            Ok(()) => {
                for object in heap.objects() {
                    assert!(matches!(heap.find(object.start), Hit::Live { .. }));
                }
            }
        }
        bytes[at..at + 4].copy_from_slice(&whole[at..at + 4]);
    }
    assert!(errors > 500, "{errors}");
    heap.read_anew(&whole).expect("it can be read again after an error");
}

#[test]
fn objects_older_than_the_placement_stay_and_their_places_are_given_no_more() {
    let sources = ["arena.c", "runs.c", "slabs.c"].map(|name| root().join("preload").join(name));
    let sources = sources.each_ref().map(|path| path.to_str().expect("a path in UTF-8"));
    let program = compile("older", "older", &sources);
    for placement in [Placement::First, Placement::Permuted] {
        let file = program.with_extension("arena");
        let permuted = (placement == Placement::Permuted).then_some("permuted");
        let output = run(Command::new(&program).arg(&file).args(permuted));
        assert!(output.status.success(), "{placement:?}: {}", text(&output.stderr));
        let bytes = fs::read(file).expect("older.c wrote it");
        let heap = Heap::read(&bytes).expect("a whole heap");
        assert_eq!((heap.placement(), heap.stray(&bytes)), (placement, None));
        for line in text(&output.stdout).lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let found = heap.find(hexadecimal(words[1]));
            match words[0] {
                "gone" => assert_eq!(found, Hit::Elsewhere, "{line}"),
                _ => assert!(
                    matches!(found, Hit::Live { size, .. }
                    if size.to_string() == words[2]),
                    "{line}: {found:?}"
                ),
            }
        }
    }
}
