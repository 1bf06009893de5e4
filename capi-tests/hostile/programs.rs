//! Programs that cannot be nodes, and symbols that cannot be state.

use std::fs;

use crate::checker::check;
use crate::folder::Folder;

/// Waits for a connection; has no state.
const WAITS: &str = "#include \"listener.h\"\n\nint main(int argc, char **argv)\n{\n    \
                     next_connection(listener_on(own_port(argc, argv)));\n    return 0;\n}\n";

/// Objects that can, and cannot, be a region.
const SYMBOLS: &str = r#"#include "listener.h"

int cmc_state[2];
const int fixed = 3;
int elsewhere(void);
__asm__(".data\n.globl shapeless\n.type shapeless, @object\nshapeless: .long 0\n.text");
static int both;

int main(int argc, char **argv)
{
    cmc_state[0] = fixed + elsewhere() + ++both;
    next_connection(listener_on(own_port(argc, argv)));
    return both;
}
"#;

/// A second object of one name.
const ELSEWHERE: &str = "static int both;\n\nint elsewhere(void)\n{\n    return ++both;\n}\n";

/// Byte offsets in an ELF header.
const EI_CLASS: usize = 4;
const EI_DATA: usize = 5;
const E_MACHINE: usize = 18;

/// Copy `from` to an executable `to`, changed.
fn change(folder: &Folder, from: &str, to: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(folder.join(from)).expect("the program can be read");
    change(&mut bytes);
    folder.write(to, bytes);
    folder.set_mode(to, 0o755);
}

#[test]
fn a_program_that_cannot_be_a_node_is_refused_with_what_to_do() {
    let folder = Folder::new("programs");
    folder.write("waits.c", WAITS);
    folder.compile("waits", &["waits.c"], &[]);
    assert_eq!(check(&folder, &folder.model("waits", "raw", ""), &[]).code(), 0);
    fs::create_dir(folder.join("directory")).expect("the directory can be made");
    let copy = |to: &str, how: fn(&mut Vec<u8>)| change(&folder, "waits", to, how);
    copy("not-executable", |_| ());
    folder.set_mode("not-executable", 0o644);
    copy("script", |bytes| *bytes = b"#!/bin/sh\nexec ./waits\n".to_vec());
    copy("empty", |bytes| bytes.clear());
    copy("text", |bytes| *bytes = b"int main(void);\n".to_vec());
    copy("no-header", |bytes| bytes.truncate(20));
    copy("half", |bytes| bytes.truncate(2000));
    copy("arm", |bytes| bytes[E_MACHINE] = 183);
    copy("32-bit", |bytes| bytes[EI_CLASS] = 1);
    copy("big-endian", |bytes| bytes[EI_DATA] = 2);
    copy("set-uid", |_| ());
    folder.set_mode("set-uid", 0o4755);
    copy("set-gid", |_| ());
    folder.set_mode("set-gid", 0o2755);
    folder.compile("static", &["waits.c"], &["-static"]);
    folder.compile("static-pie", &["waits.c"], &["-static-pie"]);
    folder.compile("object", &["waits.c"], &["-c"]);
    folder.set_mode("object", 0o755);
    folder.compile("shared", &["waits.c"], &["-fPIC", "-shared"]);
    folder.compile("loader", &["waits.c"], &["-Wl,--dynamic-linker=/nowhere/ld.so"]);
    let linked_statically = "statically linked, or a shared library: the loader would not load \
                             cmc-preload.so; link it dynamically (without -static, -static-pie)";
    let set_id = "it is set-uid or set-gid, so the loader ignores cmc-preload.so; check a copy \
                  without these bits";
    let rebuild = "nodes are x86-64 programs, rebuild it for x86-64";
    for (program, words) in [
        ("missing", ["No such file or directory", "build it first, or correct `program`"]),
        ("directory", ["/directory is not a file", ""]),
        ("not-executable", ["not executable; chmod +x ", "/not-executable"]),
        ("script", ["it is a script; name the binary that it runs", ""]),
        ("empty", ["not an ELF file; name a program as the linker wrote it", ""]),
        ("text", ["not an ELF file; name a program as the linker wrote it", ""]),
        ("no-header", ["broken ELF file: ", "; build the program again"]),
        ("half", ["broken ELF file: ", "; build the program again"]),
        ("arm", ["built for AARCH64, 64 bits, little-endian; ", rebuild]),
        ("32-bit", ["built for X86_64, 32 bits, little-endian; ", rebuild]),
        ("big-endian", [" 64 bits, big-endian; ", rebuild]),
        ("set-uid", [set_id, ""]),
        ("set-gid", [set_id, ""]),
        ("static", [linked_statically, ""]),
        ("static-pie", [linked_statically, ""]),
        ("object", ["an object file or a core; link it into a program", ""]),
        ("shared", [linked_statically, ""]),
        ("loader", ["its loader /nowhere/ld.so: No such file", "or link it again on this host"]),
    ] {
        let answer = check(&folder, &folder.model(program, "raw", ""), &[]);
        answer.assert_refused(program, &words);
        let named = format!("program \"./{program}\": ");
        assert!(answer.why().starts_with(&named), "{program}: {:?}", answer.why());
    }
    folder.assert_no_process("a program that cannot be a node");
}

#[test]
fn a_library_that_is_missing_is_named_with_the_node() {
    let folder = Folder::new("library");
    folder.write("waits.c", WAITS);
    folder.write("gone.c", "int gone = 1;\n");
    folder.compile("libgone.so", &["gone.c"], &["-fPIC", "-shared"]);
    folder.compile("waits", &["waits.c"], &["-Wl,--no-as-needed", "./libgone.so"]);
    fs::remove_file(folder.join("libgone.so")).expect("the library was there");
    let answer = check(&folder, &folder.model("waits", "raw", ""), &[]);
    let words =
        ["node 0: (./waits) it could not be loaded", "libgone.so", "; install what is missing"];
    answer.assert_refused("a missing library", &words);
    folder.assert_no_process("a missing library");
}

#[test]
fn a_symbol_that_cannot_be_state_is_refused_with_what_to_do() {
    let folder = Folder::new("symbols");
    folder.write("symbols.c", SYMBOLS);
    folder.write("elsewhere.c", ELSEWHERE);
    // The object without a size is written in assembler, which must stay in its place.
    folder.compile("symbols", &["symbols.c", "elsewhere.c"], &["-fno-toplevel-reorder"]);
    folder.compile("stripped", &["symbols.c", "elsewhere.c"], &["-fno-toplevel-reorder", "-s"]);
    let run = |program: &str, state: &str, fields: &str| {
        check(&folder, &folder.model(program, state, fields), &["--max-states=1"])
    };
    assert_eq!(run("symbols", "region:cmc_state", "").code(), 3);
    for (symbol, words) in [
        ("cmc_stat", ["not found; there is \"cmc_state\"", ""]),
        ("CMC_STATE", ["not found; there is \"cmc_state\"", ""]),
        ("nothing", ["not found; ", "it must be a global or static variable of the program"]),
        ("main", ["is a function, not an object", ""]),
        ("fixed", ["is constant, so it is no state", ""]),
        ("shapeless", ["has no size in the symbol table", ""]),
        (
            "both",
            ["several objects are called \"both\"", "give the one that you mean its own name"],
        ),
    ] {
        let answer = run("symbols", &format!("region:{symbol}"), "");
        answer.assert_refused(symbol, &words);
        let named = format!("\"{symbol}\"");
        answer.assert_refused(symbol, &["program \"./symbols\": ", &named]);
    }
    let words = [
        "program \"./stripped\": symbol \"cmc_state\" not found: the program is stripped; ",
        "build it without -s, or use state = \"report\"",
    ];
    run("stripped", "region:cmc_state", "").assert_refused("stripped", &words);
    let beyond = "[fields]\nx = \"u32le@cmc_state+6\"\n[invariants]\n\"x\" = \"forall n in nodes: \
                  n.x == 0\"";
    let words = [
        "program \"./symbols\": symbol \"cmc_state\" has 8 bytes, so 4 bytes at offset 6 are not in it",
    ];
    run("symbols", "raw", beyond).assert_refused("a field beyond its symbol", &words);
}

#[test]
fn a_field_beyond_its_region_is_shown_in_the_model_file() {
    let folder = Folder::new("beyond");
    folder.write("symbols.c", SYMBOLS);
    folder.write("elsewhere.c", ELSEWHERE);
    folder.compile("symbols", &["symbols.c", "elsewhere.c"], &["-fno-toplevel-reorder"]);
    let fields = "[fields]\nx = \"u32le@6\"\n[invariants]\n\"x\" = \"forall n in nodes: n.x == 0\"";
    let model = folder.model("symbols", "region:cmc_state", fields);
    let answer = check(&folder, &model, &[]);
    let why = answer.why();
    assert_eq!(answer.code(), 2, "{why}");
    let words = "symbols.toml:14:5: field \"x\" of node 0: it ends at byte 10 of cmc_state, which has \
                 only 8; correct its type or offset\n";
    assert!(why.contains(words), "{why}");
    assert!(why.ends_with("\n    |     ^^^^^^^^^"), "{why}");
}
