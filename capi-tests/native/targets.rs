//! The hostile targets build, position-independent or not, and those that a test may run do on a
//! real kernel what the checker has to do too.

use crate::server::{Server, folder, own_the_ports, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("capi-tests/targets")).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let mut sources: Vec<PathBuf> =
        paths.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    sources.sort();
    assert!(!sources.is_empty());
    sources
}

fn compile(source: &Path, layout: &[&str], program: &Path) {
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror"]).args(layout);
    let status = gcc.arg("-o").arg(program).arg(source).status().expect("gcc starts");
    assert!(status.success(), "{}", source.display());
}

fn started(target: &str) -> Server {
    let folder = folder(&format!("target-{target}"));
    let program = folder.join(target);
    compile(&root().join(format!("capi-tests/targets/{target}.c")), &["-no-pie"], &program);
    Server::start(&program, 0, &folder)
}

#[test]
fn targets_build_and_say_what_to_expect() {
    let folder = folder("targets");
    for source in sources() {
        compile(&source, &["-no-pie"], &folder.join("target"));
        compile(&source, &["-fPIE", "-pie"], &folder.join("target-pie"));
        let text = fs::read_to_string(&source).expect("the source is text");
        let expected = text.strip_prefix("/* # expect: verdict=").unwrap_or_default();
        let word = expected.split_whitespace().next().unwrap_or_default();
        assert!(["pass", "violated", "error"].contains(&word), "{}", source.display());
    }
}

/// With one connection made and closed, where the target waits for one.
#[test]
fn targets_end_as_they_say() {
    const SIGABRT: i32 = -6;
    const SIGSEGV: i32 = -11;
    const SIGPIPE: i32 = -13;
    let _turn = own_the_ports();
    for (target, dial, end) in [
        ("silent_exit", false, 0),
        ("segv", false, SIGSEGV),
        ("exhaust_stack", false, SIGSEGV),
        ("abort", true, SIGABRT),
        ("double_free", true, SIGABRT),
        ("overrun", true, SIGABRT),
        ("exit3", true, 3),
        ("sigpipe", true, SIGPIPE),
        ("own_address", true, 0),
    ] {
        let server = started(target);
        if dial {
            server.dial();
        }
        assert_eq!(server.end(), end, "{target}");
    }
}

#[test]
fn targets_report_the_errors_of_the_kernel() {
    let _turn = own_the_ports();
    for (target, reports) in [
        ("epipe", vec![vec![0], vec![32]]),
        ("rebind", vec![vec![98]]),
        ("peer", vec![vec![0; 4], vec![0x4e, 0x20, 2, 0]]),
        ("bad_descriptor", vec![vec![9, 9, 9, 9, 107]]),
        ("self", vec![vec![0], vec![1]]),
        ("alternate_stack", vec![vec![0, 12, 22, 0, 0, 0, 0, 14, 1]]),
        ("split_report", vec![vec![7, 9]]),
    ] {
        let server = started(target);
        if target != "self" {
            server.dial();
        }
        let last: &Vec<u8> = reports.last().expect("there is one");
        server.report_that(target, |report| report == last);
        assert_eq!(server.reports(), reports, "{target}");
    }
}

#[test]
fn a_bad_pointer_costs_no_message() {
    let _turn = own_the_ports();
    let server = started("bad_pointer");
    assert_eq!(server.dial().ask("kept"), "kept");
    assert_eq!(server.reports(), [[0, 0], [14, 14]]);
}

#[test]
fn a_short_read_leaves_the_rest() {
    let _turn = own_the_ports();
    let server = started("partial");
    let mut client = server.dial();
    client.send("abc");
    let mut answers = client.answer();
    while answers.len() < 3 {
        answers += &client.answer();
    }
    assert_eq!(answers, "abc");
}

#[test]
fn vectors_and_messages_read_and_write_like_read_and_write() {
    let _turn = own_the_ports();
    let server = started("readv");
    let mut client = server.dial();
    for text in ["a", "ab", "abcdef", "recv"] {
        assert_eq!(client.ask(text), text);
    }
}

#[test]
fn a_time_out_is_inherited_and_counted() {
    let _turn = own_the_ports();
    let server = started("timeout");
    server.report_that("an accept that timed out", |report| report[..2] == [0, 1]);
    let client = server.dial();
    server.report_that("a read", |report| report[0] == 1);
    let before = server.reports().iter().map(|report| report[1]).max();
    server
        .report_that("a read that timed out", |report| report[0] == 1 && Some(report[1]) > before);
    drop(client);
}

#[test]
fn output_goes_where_it_was_sent() {
    let _turn = own_the_ports();
    let server = started("output");
    server.dial();
    assert_eq!(server.written("stdout"), b"out 1\n");
    assert_eq!(server.written("stderr"), b"err 1\n");
    assert_eq!(server.end(), 0);
}

#[test]
fn an_old_connection_left_open_does_not_keep_the_next_one_out() {
    let _turn = own_the_ports();
    let server = started("ignore_close");
    for _ in 0..3 {
        server.dial().send("text");
    }
}
