//! Preloads that are not the one of this command.

use cmc::process::contract;

use crate::checker::{Answer, check, option};
use crate::folder::{Folder, root};

/// Says hello as the preload does, with the protocol that it is built for.
const HELLO: &str = r#"
__attribute__((constructor)) static void hello(void)
{
    long number = 0x0c4d4301, result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(PROTOCOL), "S"(BASE), "d"(256 << 20)
                     : "rcx", "r11", "memory");
    (void)result;
}
"#;

/// Computes for ever before it would say hello.
const SPINS: &str = "__attribute__((constructor)) static void hello(void)\n{\n    for (volatile int \
                     i = 0;; i++)\n        ;\n}\n";

fn with_preload(folder: &Folder, preload: &str) -> Answer {
    let limits = "[limits]\ncpu_seconds = 1\nwall_seconds = 30\n";
    let model = folder.model("silent_exit", "raw", limits);
    check(folder, &model, &[&option("--preload", &folder.join(preload))])
}

#[test]
fn a_preload_of_another_kind_is_refused_with_what_to_do() {
    let folder = Folder::new("preloads");
    let target = |name: &str| {
        let source = root().join(format!("capi-tests/targets/{name}.c"));
        folder.compile(name, &[source.to_str().expect("the path is text")], &[]);
    };
    target("silent_exit");
    std::fs::create_dir(folder.join("directory")).expect("the directory can be made");
    folder.write("empty.so", "");
    folder.write("text.so", "a preload is a shared object\n");
    folder.write("hello.c", HELLO);
    folder.write("spins.c", SPINS);
    folder.write("nothing.c", "int nothing;\n");
    let shared = |name: &str, source: &str, flags: &[&str]| {
        let all = [&["-fPIC", "-shared", "-nostdlib"], flags].concat();
        folder.compile(name, &[source], &all);
    };
    let base = format!("-DBASE={:#x}L", contract::ARENA_BASE);
    shared("older.so", "hello.c", &["-DPROTOCOL=0L", &base]);
    shared("newer.so", "hello.c", &["-DPROTOCOL=99L", &base]);
    shared("spins.so", "spins.c", &[]);
    shared("nothing.so", "nothing.c", &[]);
    let whole = std::fs::read(folder.join("nothing.so")).expect("it was made");
    folder.write("half.so", &whole[..whole.len() / 3]);
    let remedy = "run `make all`, reinstall cmc, or name the preload with --preload=FILE";
    for (preload, problem) in [
        ("missing.so", "No such file or directory"),
        ("directory", "Is a directory"),
        ("empty.so", "cut short"),
        ("text.so", "not a shared object for x86-64"),
    ] {
        let words = ["the preload ", preload, problem, remedy];
        with_preload(&folder, preload).assert_refused(preload, &words);
    }
    let says = |protocol| {
        let base = contract::ARENA_BASE;
        format!("is not the preload of this cmc (it says {protocol:#x}, {base:#x}, ")
    };
    let (older, newer) = (says(0), says(99));
    let node = "node 0: (./silent_exit) ";
    for (preload, words) in [
        ("older.so", [older.as_str(), "reinstall"]),
        ("newer.so", [newer.as_str(), "reinstall"]),
        (
            "nothing.so",
            ["it exited with status 0 before cmc-preload.so was there", "reinstall cmc"],
        ),
        ("spins.so", ["silent, spinning: ", "raise [limits] cpu_seconds or wall_seconds"]),
        ("half.so", [" before cmc-preload.so was there", "reinstall cmc"]),
    ] {
        with_preload(&folder, preload).assert_refused(preload, &[&[node][..], &words].concat());
    }
    folder.assert_no_process("another preload");
}
