//! Types and variables.

use std::sync::Arc;

use cmc::process::debug::{DebugInfo, Indices, Keyword, Kind, Type};

use crate::compiled::{Probe, compile, probes};

fn type_named(probe: &Probe, name: &str) -> Type {
    let (keyword, name) = match name.strip_prefix("struct ") {
        Some(tag) => (Keyword::Struct, tag),
        None => (Keyword::Struct, name),
    };
    probe.debug.type_named(keyword, name).expect(&probe.how)
}

fn all() -> Arc<Vec<Probe>> {
    probes(&["shapes.c", "hidden.c"])
}

#[test]
fn fields_are_where_the_compiler_puts_them() {
    for probe in all().iter() {
        let said: Vec<_> = probe.said.iter().filter(|line| line.kind == "offset").collect();
        assert!(said.len() > 15);
        for line in said {
            let (of, path) = line.name.split_once('|').unwrap();
            let member = type_named(probe, of).member(path).expect(&line.name);
            let found = (member.offset as i64, member.size);
            assert_eq!(found, (line.number, line.size), "{}: {}", probe.how, line.name);
            let name = type_named(probe, of).name_of(member.offset, Indices::Exact);
            let dotted = format!(".{path}").replace("bytes[3]", "wide");
            assert!(name.starts_with(&dotted) || dotted.starts_with(&name), "{name} for {dotted}");
        }
    }
}

#[test]
fn every_byte_of_a_type_has_a_name() {
    for probe in all().iter() {
        let node = type_named(probe, "struct node");
        let at = |path: &str| node.member(path).unwrap().offset;
        let any = |offset| node.name_of(offset, Indices::Any);
        assert_eq!(any(at("parts[2].high") + 1), ".parts[].high");
        assert_eq!(any(at("parts[1].as.bytes[3]")), ".parts[].as.wide");
        assert_eq!(node.name_of(at("grid[1][3]") + 2, Indices::Exact), ".grid[1][3]");
        assert_eq!(any(at("parts") + 1), ".parts[] (padding)");
        assert_eq!(any(at("ready")), ".ready|.closed|.level");
        assert_eq!(any(at("tail") + 1000), ".tail[]");
        let point = type_named(probe, "point");
        assert_eq!(point.name_of(8, Indices::Exact), ".y");
        assert_eq!(point.name_of(16 * 5 + 8, Indices::Exact), "[5].y");
        for offset in 0..node.size().unwrap() {
            assert!(!any(offset).is_empty(), "{}: {offset}", probe.how);
        }
    }
}

#[test]
fn types_are_written_as_in_c() {
    for probe in all().iter() {
        let node = type_named(probe, "struct node");
        let of = |path: &str| node.member(path).unwrap().of.unwrap();
        assert_eq!(node.name(), "struct node");
        assert_eq!(of("next").name(), "struct node *");
        assert_eq!(of("grid").name(), "int[2][5]");
        assert_eq!(of("grid[1]").name(), "int[5]");
        assert_eq!(of("hidden").name(), "struct hidden *");
        assert_eq!(of("colour").name(), "enum colour");
        assert_eq!(of("tail").name(), "char[]");
        assert_eq!(type_named(probe, "point").name(), "point");
        assert_eq!(of("next").pointee().unwrap(), node);
        assert_eq!(of("call").pointee().unwrap().kind(), Kind::Function);
        assert_eq!(of("key").kind(), Kind::Base);
        // Declared in one file, complete in the other.
        assert_eq!(of("hidden").pointee().unwrap().size(), Some(32), "{}", probe.how);
    }
}

#[test]
fn what_a_type_does_not_have_is_said_with_what_it_has() {
    for probe in all().iter().take(1) {
        let node = type_named(probe, "struct node");
        let wrong = |path: &str| node.member(path).expect_err(path);
        assert_eq!(wrong("partz"), "struct node has no field \"partz\"; did you mean \"parts\"?");
        assert_eq!(wrong("parts[3]"), "struct part[3] has no element 3; the first is 0");
        assert!(wrong("parts.tag").contains("write \"[N].tag\" or \"[].tag\""));
        assert!(wrong("next.key").contains("write \"->key\""));
        assert!(wrong("key.x").contains("has no fields"));
        let wrong = probe.debug.type_named(Keyword::Struct, "nodes").unwrap_err();
        assert_eq!(wrong, "\"struct nodes\" is not in the program; did you mean \"node\"?");
    }
}

#[test]
fn variables_are_where_the_program_says() {
    for probe in all().iter() {
        let debug = &probe.debug;
        for line in probe.said.iter().filter(|line| line.kind == "linked") {
            let name = line.name.split(':').next_back().unwrap();
            let (found, offset) = debug.global_at(line.number as u64 + 1).expect(&line.name);
            assert_eq!((&*found.name, offset), (name, 1), "{}", probe.how);
            if line.size > 0 {
                assert_eq!(found.size, line.size, "{}: {}", probe.how, line.name);
            }
            assert_eq!(found.address as i64, line.number);
            if name == line.name {
                assert_eq!(debug.global(name), Ok(found), "{}", probe.how);
            }
        }
        assert_eq!(debug.global("last").unwrap().function.as_deref(), Some("count"));
        assert_eq!(debug.global("points").unwrap().of.unwrap().name(), "point[4]");
        assert!(debug.global("with_tail").unwrap().size >= 12 + 8);
        let several = debug.global("shared").unwrap_err();
        let both = ["\"shapes.c:shared\"", "\"hidden.c:shared\""];
        assert!(both.iter().all(|one| several.contains(one)), "{several}");
        assert!(debug.global("of_thread").unwrap_err().contains("thread-local"));
        let missing = debug.global("pionts").unwrap_err();
        assert_eq!(missing, "variable \"pionts\" is not in the program; did you mean \"points\"?");
    }
}

#[test]
fn any_thread_may_ask() {
    for probe in all().iter().take(1) {
        let asked = std::thread::scope(|scope| {
            let ask = || probe.debug.global("head").unwrap().of.unwrap().pointee().unwrap().name();
            [(); 4].map(|()| scope.spawn(ask)).map(|thread| thread.join().unwrap())
        });
        assert!(asked.iter().all(|name| name == "struct node"));
    }
}

#[test]
fn a_symbol_table_gives_sizes_where_there_is_no_debug_information() {
    let path = compile("cc", &["-O0"], &["shapes.c", "hidden.c"]);
    let debug = DebugInfo::open(&path);
    let _ = std::fs::remove_file(&path);
    let points = debug.global("points").unwrap();
    assert_eq!((points.size, points.of), (64, None));
    assert_eq!(debug.global_at(points.address + 20).unwrap().1, 20);
    assert!(debug.global("shared").unwrap_err().contains("several objects"));
    let none = DebugInfo::open("no such file".as_ref());
    assert!(!none.has_types() && none.global_at(0).is_none() && none.global("x").is_err());
}
