//! Places that users write, found in a program.

use std::ops::Range;

use cmc::process::debug::{DebugInfo, Part, Place, Root, Target};

use crate::compiled::{compile, probe};

fn shapes() -> DebugInfo {
    probe("cc", &["-O0", "-g"], &["shapes.c", "hidden.c"]).debug
}

fn target(debug: &DebugInfo, place: &str) -> Target {
    Place::parse(place).unwrap().resolve(debug).expect(place)
}

fn bytes(one: Range<u64>) -> Part {
    Part::Bytes(Vec::from([one]))
}

fn wrong(debug: &DebugInfo, place: &str) -> String {
    Place::parse(place).unwrap().resolve(debug).expect_err(place)
}

#[test]
fn static_places_are_bytes_of_a_variable() {
    let debug = shapes();
    let points = debug.global("points").unwrap();
    let found = |place: &str| {
        let found = target(&debug, place);
        assert_eq!((found.root, &*found.pointers), (Root::Static(points.address), &[][..]));
        found.bytes
    };
    assert_eq!(found("points"), bytes(0..64));
    assert_eq!(found("points[2].y"), bytes(40..48));
    assert_eq!(found("points[]"), bytes(0..64));
    assert_eq!(found("points[].x"), Part::Bytes(vec![0..8, 16..24, 32..40, 48..56]));
    let calls = target(&debug, "count:calls");
    assert_eq!(calls.root, Root::Static(debug.global("calls").unwrap().address));
    assert_eq!(target(&debug, "hidden.c:shared").bytes, bytes(0..2));
}

#[test]
fn heap_places_are_pointers_and_bytes_behind_them() {
    let debug = shapes();
    let node = debug.global("head").unwrap().of.unwrap().pointee().unwrap();
    let range = |path: &str| {
        let member = node.member(path).unwrap();
        member.offset..member.offset + member.size
    };
    let one = |path: &str| Part::Bytes(vec![range(path)]);
    let head = bytes(0..8);
    let found = target(&debug, "head->next->key");
    assert_eq!((&found.pointers[..], found.bytes), (&[head.clone(), one("next")][..], one("key")));
    let found = target(&debug, "head->*");
    assert_eq!((&found.pointers[..], found.bytes), (&[head.clone()][..], Part::Whole));
    let found = target(&debug, "head->text->*");
    assert_eq!((&found.pointers[..], found.bytes), (&[head.clone(), one("text")][..], Part::Whole));
    let parts = (0..3).map(|number| range(&format!("parts[{number}].tag"))).collect();
    assert_eq!(target(&debug, "head->parts[].tag").bytes, Part::Bytes(parts));
    // The pointer as an array, and an array of no given length.
    let size = node.size().unwrap();
    let key = range("key");
    let third = bytes(3 * size + key.start..3 * size + key.end);
    assert_eq!(target(&debug, "head[3].key").bytes, third);
    let every = Part::Repeated { stride: size, bytes: vec![key] };
    assert_eq!(target(&debug, "head[].key").bytes, every);
    let tail = range("tail").start;
    let one_byte = tail..tail + 1;
    let every = Part::Repeated { stride: 1, bytes: Vec::from([one_byte]) };
    assert_eq!(target(&debug, "head->tail").bytes, every);
    assert_eq!(target(&debug, "head->tail[]").bytes, every);
    let found = target(&debug, "struct node.parts[1].high");
    assert_eq!((found.root, found.bytes), (Root::Objects(node.clone()), one("parts[1].high")));
    let found = target(&debug, "struct point.x");
    assert_eq!(found.bytes, bytes(0..8));
}

#[test]
fn local_places_are_variables_of_a_function() {
    let debug = probe("cc", &["-O2", "-g"], &["scopes.c"]).debug;
    let found = target(&debug, "first:early");
    let root =
        |function: &str, name: &str| Root::Local { function: function.into(), name: name.into() };
    assert_eq!((found.root, found.bytes), (root("first", "early"), bytes(0..64)));
    let found = target(&debug, "second:held.late[3]");
    assert_eq!((found.root, found.bytes), (root("second", "held"), bytes(3..4)));
    let found = target(&debug, "caller:frame->cfa");
    assert_eq!((found.root, found.pointers), (root("caller", "frame"), vec![bytes(0..8)]));
    assert_eq!(found.bytes, bytes(8..16));
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let debug = shapes();
    assert!(wrong(&debug, "haed").contains("did you mean \"head\"?"));
    assert!(wrong(&debug, "head->kye").contains("did you mean \"key\"?"));
    assert!(wrong(&debug, "head.key").contains("write \"->key\""));
    assert!(wrong(&debug, "points[0]->x").contains("point is no pointer; write \".x\""));
    assert!(wrong(&debug, "points->x").contains("write \"[N]\" or \"[]\" first"));
    assert!(wrong(&debug, "points[4]").contains("has no element 4"));
    assert!(wrong(&debug, "head->ready").contains("bit field"));
    assert!(wrong(&debug, "count:cals").contains("did you mean \"calls\"?"));
    assert!(wrong(&debug, "cuont:calls").contains("did you mean \"count\"?"));
    assert!(wrong(&debug, "struct nod.key").contains("did you mean \"node\"?"));
    assert!(wrong(&debug, "shared").contains("write one of"));
    assert!(wrong(&debug, "of_thread").contains("thread-local"));
    let path = compile("cc", &["-O0"], &["shapes.c", "hidden.c"]);
    let bare = DebugInfo::open(&path);
    let _ = std::fs::remove_file(&path);
    assert_eq!(target(&bare, "points").bytes, bytes(0..64));
    assert!(wrong(&bare, "points[1]").contains("with -g"));
    assert!(wrong(&bare, "count:calls").contains("-g"));
}
