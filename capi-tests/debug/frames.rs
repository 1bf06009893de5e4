//! Frames: where locals are, which of them are in scope, what is dead, how far objects reach.

use cmc::process::debug::{DebugInfo, Local, Location};

use crate::compiled::{Probe, compile, probes};

fn local(probe: &Probe, pc: &str, name: &str) -> Local {
    let locals = probe.debug.locals(probe.pc(pc));
    let mut named = locals.iter().filter(|local| local.name == name);
    match (named.next(), named.next()) {
        (Some(one), None) => one.clone(),
        _ => panic!("{}: {name} at {pc} among {locals:?}", probe.how),
    }
}

#[test]
fn locals_are_where_the_program_says() {
    for probe in probes(&["locals.c"]).iter() {
        let at = [
            ("inner", "inner"),
            ("inner", "buffer"),
            ("inner", "by_value"),
            ("outer", "pair"),
            ("outer", "number"),
            ("many", "space"),
            ("pushes", "held"),
        ];
        for (pc, name) in at {
            let local = local(probe, pc, name);
            let place = Location::Frame(probe.number("frame", name));
            assert_eq!(local.location, place, "{}: {name} at {pc}", probe.how);
            assert!(
                local.in_scope && (local.fixed || name == "number"),
                "{}: {name} at {pc}",
                probe.how
            );
            let said = probe.said.iter().find(|line| line.kind == "frame" && line.name == name);
            assert_eq!(local.size, said.map(|line| line.size), "{}: {name}", probe.how);
        }
        assert!(!local(probe, "outer", "inner").in_scope, "{}", probe.how);
        assert!(local(probe, "outer", "argument").parameter, "{}", probe.how);
        let function = probe.debug.function_at(probe.pc("outer") - 1);
        assert_eq!(function.as_deref(), Some("walk"), "{}", probe.how);
    }
}

#[test]
fn a_value_that_survives_a_call_is_in_a_register_that_does() {
    /// `rbx`, `rbp`, `r12` to `r15`.
    const SURVIVE: [u16; 6] = [3, 6, 12, 13, 14, 15];
    for probe in probes(&["locals.c"]).iter() {
        let kept = local(probe, "keep", "kept").location;
        match (probe.is_optimised(), &kept) {
            (true, Location::Register(number)) if SURVIVE.contains(number) => {}
            (false, Location::Frame(_)) => {}
            _ => panic!("{}: {kept:?}", probe.how),
        }
    }
}

#[test]
fn extents_are_the_fixed_variables_of_a_frame_without_overlap() {
    for probe in probes(&["locals.c"]).iter() {
        let extents = probe.debug.extents(probe.pc("outer") - 1).expect(&probe.how);
        let places = [("buffer", false), ("pair", false), ("number", true), ("by_value", false)];
        for (name, scalar) in places {
            let extent = extents.iter().find(|extent| extent.name == name).expect(name);
            assert_eq!(extent.bytes.start, probe.number("frame", name), "{}", probe.how);
            assert_eq!(extent.scalar, scalar, "{}: {name}", probe.how);
            assert!(extent.slot.end >= extent.bytes.end && extent.slot.start == extent.bytes.start);
        }
        let fixed: Vec<_> = extents.iter().filter(|extent| extent.fixed).collect();
        for (lower, upper) in fixed.iter().zip(&fixed[1..]) {
            let same = lower.bytes.start == upper.bytes.start;
            assert!(same || lower.slot.end <= upper.slot.start, "{}: {extents:?}", probe.how);
        }
        let below = extents.iter().filter(|extent| extent.bytes.start < 0);
        assert!(below.map(|extent| extent.slot.end).all(|end| end <= -8), "{}", probe.how);
    }
}

#[test]
fn frames_of_variable_size_have_no_extents() {
    for probe in probes(&["locals.c"]).iter() {
        for function in ["variable_length", "allocates"] {
            let extents = probe.debug.extents(probe.pc(function) - 1);
            assert_eq!(extents, None, "{}: {function}", probe.how);
        }
    }
}

#[test]
fn a_realigned_frame_has_no_places_that_are_wrong() {
    for probe in probes(&["locals.c"]).iter() {
        for name in ["wide", "narrow"] {
            let local = local(probe, "aligned", name);
            let right = Location::Frame(probe.number("frame", name));
            let open = matches!(local.location, Location::Based { .. } | Location::Memory);
            assert!(open || local.location == right, "{}: {local:?}", probe.how);
        }
        let extents = probe.debug.extents(probe.pc("aligned") - 1);
        assert!(extents.is_none(), "{}: {extents:?}", probe.how);
    }
}

#[test]
fn arrays_out_of_scope_are_dead_where_nothing_in_scope_has_their_bytes() {
    for probe in probes(&["scopes.c"]).iter() {
        let pc = probe.pc("blocked");
        let mut expected: Vec<i64> = Vec::new();
        for (name, size) in [("early", 64), ("held", 96)] {
            let start = probe.number("frame", name);
            expected.extend(start..start + size);
            let local = local(probe, "blocked", name);
            assert!(!local.in_scope, "{}: {name}", probe.how);
            assert_eq!(local.location, Location::Frame(start), "{}: {name}", probe.how);
        }
        let locals = probe.debug.locals(pc);
        let others = locals.iter().filter(|local| !local.in_scope && local.fixed);
        for local in others.filter(|local| local.name == "block") {
            let (Location::Frame(start), Some(size)) = (&local.location, local.size) else {
                continue;
            };
            expected.extend(*start..start + size as i64);
        }
        for local in locals.iter().filter(|local| local.in_scope) {
            if let (Location::Frame(start), Some(size)) = (&local.location, local.size) {
                expected.retain(|byte| !(*start..start + size as i64).contains(byte));
            }
        }
        expected.sort_unstable();
        expected.dedup();
        let dead = probe.debug.dead_ranges(pc);
        let mut found: Vec<i64> = dead.iter().flat_map(|dead| dead.bytes.clone()).collect();
        found.sort_unstable();
        found.dedup();
        assert!(!expected.is_empty());
        assert!(found.iter().all(|byte| expected.contains(byte)), "{}: {dead:?}", probe.how);
        // Optimised by clang, an address is made before the block that it is for.
        if !(probe.is_optimised() && probe.how.starts_with("clang")) {
            assert_eq!(found, expected, "{}: {dead:?} of {locals:?}", probe.how);
            let early = dead.iter().find(|dead| dead.name == "early").expect("early");
            assert_eq!(early.function, "first", "{}", probe.how);
        }
        // In its own scope it is not dead, and takes nothing with it.
        let inside = probe.debug.dead_ranges(probe.pc("first"));
        let start = probe.number("frame", "early");
        let touches = |range: &std::ops::Range<i64>| range.start < start + 64 && start < range.end;
        assert!(!inside.iter().any(|dead| touches(&dead.bytes)), "{}: {inside:?}", probe.how);
    }
}

#[test]
fn bytes_that_an_object_without_a_name_has_are_not_dead() {
    let mut shared = 0;
    for probe in probes(&["literal.c"]).iter() {
        let literal = probe.number("frame", "literal");
        let early = probe.number("frame", "early");
        let locals = probe.debug.locals(probe.pc("blocked"));
        let early_local = locals.iter().find(|local| local.name == "early").expect("early");
        assert!(!early_local.in_scope, "{}", probe.how);
        let meets = |start: i64, end: i64| start < literal + 64 && literal < end;
        shared += u32::from(meets(early, early + 64));
        let dead = probe.debug.dead_ranges(probe.pc("blocked"));
        let wrong = dead.iter().any(|dead| meets(dead.bytes.start, dead.bytes.end));
        assert!(!wrong, "{}: {dead:?}", probe.how);
    }
    // Otherwise this test says nothing.
    assert!(shared > 0);
}

#[test]
fn code_without_debug_information_has_no_frames() {
    // The older way of compressing is not read.
    for debugging in ["-g0", "-gz=zlib-gnu"] {
        let path = compile("cc", &["-O2", "-g", debugging], &["locals.c"]);
        let debug = DebugInfo::open(&path);
        let _ = std::fs::remove_file(&path);
        assert!(!debug.has_types());
        for pc in (0x1000..0x2000).step_by(5) {
            assert!(debug.locals(pc).is_empty() && debug.dead_ranges(pc).is_empty());
            assert_eq!(debug.extents(pc), None);
        }
        assert!(
            (0x1000..0x2000)
                .any(|pc| debug.function_at(pc).is_some_and(|name| name.starts_with("walk")))
        );
    }
}
