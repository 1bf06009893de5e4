//! The example programs answer, report and keep what their first comments say, and the planted bugs
//! show where a client or a report can see them.

use crate::server::{Server, folder, own_the_ports, root};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An example's program, built.
fn example(name: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    let examples = root().join("docs/examples");
    BUILT.get_or_init(|| {
        let status = Command::new("make").arg("-s").arg("-C").arg(&examples).status();
        assert!(status.expect("make starts").success(), "make -C docs/examples");
    });
    examples.join(name)
}

#[test]
fn kv_answers_one_connection_after_another() {
    let _turn = own_the_ports();
    for program in ["kv/kv", "kv/kv-bug", "kv/kv-pie", "kv/kv-bug-pie"] {
        let server = Server::start(&example(program), 0, &folder("kv"));
        let mut first = server.dial();
        assert_eq!(first.ask("SET a"), "OK", "{program}");
        assert_eq!(first.ask("SET b"), "OK", "{program}");
        assert_eq!(first.ask("SET c"), "ERROR", "{program}");
        let mut second = server.dial();
        second.send("SET a");
        drop(first);
        assert_eq!(second.answer(), "OK", "{program}");
    }
}

#[test]
fn list_reports_its_keys_in_order() {
    let _turn = own_the_ports();
    let server = Server::start(&example("list/list-report"), 0, &folder("list"));
    let mut client = server.dial();
    for text in ["INS 2", "INS 1", "INS 4", "INS 2", "INS 3"] {
        assert_eq!(client.ask(text), "OK", "{text}");
    }
    for text in ["INS 0", "INS 5", "INS", "INS 11", "DEL 1"] {
        assert_eq!(client.ask(text), "ERROR", "{text}");
    }
    let expected: [[u8; 4]; 6] =
        [[0; 4], [2, 0, 0, 0], [1, 2, 0, 0], [1, 2, 4, 0], [1, 2, 4, 0], [1, 2, 3, 4]];
    assert_eq!(server.reports(), expected);
}

#[test]
fn list_without_a_report_writes_none() {
    let _turn = own_the_ports();
    let server = Server::start(&example("list/list"), 0, &folder("list-raw"));
    assert_eq!(server.dial().ask("INS 1"), "OK");
    assert!(server.written("report").is_empty());
}

#[test]
fn list_with_the_bug_loses_the_old_head() {
    let _turn = own_the_ports();
    let server = Server::start(&example("list/list-bug"), 0, &folder("list-bug"));
    let mut client = server.dial();
    assert_eq!(client.ask("INS 2"), "OK");
    assert_eq!(client.ask("INS 1"), "OK");
    assert_eq!(server.reports(), [[0; 4], [2, 0, 0, 0], [1, 0, 0, 0]]);
}

#[test]
fn echo_sends_every_message_back() {
    let _turn = own_the_ports();
    let server = Server::start(&example("echo/echo"), 0, &folder("echo"));
    let mut first = server.dial();
    assert_eq!(first.ask("one"), "one");
    assert_eq!(first.ask("two"), "two");
    let mut second = server.dial();
    second.send("three");
    first.hang_up();
    assert_eq!(second.answer(), "three");
}

#[test]
fn echo_with_little_room_sends_all_of_a_message_back() {
    let _turn = own_the_ports();
    let server = Server::start(&example("echo/echo-short"), 0, &folder("echo-short"));
    let mut client = server.dial();
    for text in ["hello", "abc", "four"] {
        client.send(text);
        let mut answer = String::new();
        while answer.len() < text.len() {
            answer += &client.answer();
        }
        assert_eq!(answer, text);
    }
}

#[test]
fn lock_is_granted_to_one_at_a_time() {
    let _turn = own_the_ports();
    let server = Server::start(&example("lock/lock"), 0, &folder("lock"));
    let mut first = server.dial();
    let mut second = server.dial();
    assert_eq!(first.ask("LOCK"), "GRANTED");
    assert_eq!(second.ask("LOCK"), "BUSY");
    assert_eq!(first.ask("LOCK"), "GRANTED");
    assert_eq!(second.ask("UNLOCK"), "BUSY");
    assert_eq!(first.ask("UNLOCK"), "RELEASED");
    assert_eq!(second.ask("LOCK"), "GRANTED");
    assert_eq!(first.ask("what"), "ERROR");
    first.hang_up();
    second.hang_up();
    assert_eq!(server.end(), 0);
}

#[test]
fn lock_comes_back_from_a_client_that_disconnects_unless_built_with_the_bug() {
    let _turn = own_the_ports();
    for (program, answer) in [("lock/lock", "GRANTED"), ("lock/lock-bug", "BUSY")] {
        let server = Server::start(&example(program), 0, &folder("lock-eof"));
        let mut first = server.dial();
        let mut second = server.dial();
        assert_eq!(first.ask("LOCK"), "GRANTED", "{program}");
        assert_eq!(second.ask("LOCK"), "BUSY", "{program}");
        drop(first);
        assert_eq!(second.ask("LOCK"), answer, "{program}");
    }
}

const ROLE: usize = 1;
const TERM: usize = 2;
const LEADER: u8 = 2;

#[test]
fn election_gives_no_term_two_leaders() {
    let _turn = own_the_ports();
    let files = folder("election");
    let program = example("election/election");
    let servers: Vec<Server> = (0..3).map(|node| Server::start(&program, node, &files)).collect();
    let leads = |report: &[u8]| report.len() == 7 && report[ROLE] == LEADER;
    let terms_led = |server: &Server| -> Vec<u8> {
        let reports = server.reports();
        reports.iter().filter(|report| leads(report)).map(|report| report[TERM]).collect()
    };
    let start = Instant::now();
    while !servers.iter().any(|server| !terms_led(server).is_empty()) {
        assert!(start.elapsed() < Duration::from_secs(20), "no leader");
        sleep(Duration::from_millis(50));
    }
    // Nobody sends heartbeats, so others stand for the next terms meanwhile.
    sleep(Duration::from_secs(1));
    let led: Vec<Vec<u8>> = servers.iter().map(terms_led).collect();
    for a in 0..3 {
        for b in 0..a {
            assert!(led[a].iter().all(|term| !led[b].contains(term)), "{led:?}");
        }
    }
}

/// The test is nodes 2 and 0, candidates of one term far above those the node alone gets to.
#[test]
fn election_remembers_its_vote_over_a_crash_unless_built_with_the_bug() {
    let _turn = own_the_ports();
    for (program, answer) in [("election/election", "N"), ("election/election-bug", "Y")] {
        let program = example(program);
        let files = folder("election-vote");
        let server = Server::start(&program, 1, &files);
        assert_eq!(server.dial().ask("Vz2"), "Y", "{}", program.display());
        assert_eq!(server.dial().ask("Vz0"), "N", "{}", program.display());
        server.crash();
        let server = Server::start(&program, 1, &files);
        assert_eq!(server.dial().ask("Vz0"), answer, "{}", program.display());
    }
}

#[test]
fn ack_keeps_an_acknowledged_number_over_a_crash_while_it_waits() {
    let _turn = own_the_ports();
    for program in ["ack/ack", "ack/ack-bug"] {
        let files = folder("ack");
        let server = Server::start(&example(program), 0, &files);
        let mut client = server.dial();
        assert_eq!(client.ask("GET"), "0", "{program}");
        assert_eq!(client.ask("SET 1"), "OK", "{program}");
        assert_eq!(client.ask("SET 2"), "OK", "{program}");
        assert_eq!(client.ask("GET"), "2", "{program}");
        assert_eq!(client.ask("SET"), "ERROR", "{program}");
        // By its report it waits again, so that it has made the number durable.
        assert_eq!(server.reports().last(), Some(&vec![2]), "{program}");
        server.crash();
        assert_eq!(std::fs::read(files.join("durable-0")).expect("records"), [1, 1, 1, 2]);
        let server = Server::start(&example(program), 0, &files);
        assert_eq!(server.dial().ask("GET"), "2", "{program}");
    }
}

#[test]
fn pair_reads_from_the_backup_what_the_primary_acknowledged() {
    let _turn = own_the_ports();
    for program in ["pair/pair", "pair/pair-bug"] {
        let files = folder("pair");
        let [primary, backup] = [0, 1].map(|node| Server::start(&example(program), node, &files));
        assert_eq!(backup.dial().ask("GET"), "0", "{program}");
        assert_eq!(primary.dial().ask("SET 1"), "OK", "{program}");
        backup.report_that("the write", |report| report == [1, b'1', 0, 0]);
        assert_eq!(backup.dial().ask("GET"), "1", "{program}");
    }
}

/// The test is a backup that takes the write and never acknowledges it.
#[test]
fn pair_acknowledges_nothing_that_the_backup_did_not_unless_built_with_the_bug() {
    let _turn = own_the_ports();
    for (program, answer) in [("pair/pair", "FAILED"), ("pair/pair-bug", "OK")] {
        let _silent = TcpListener::bind(("127.0.0.1", 20001)).expect("the port is free");
        let primary = Server::start(&example(program), 0, &folder("pair-silent"));
        assert_eq!(primary.dial().ask("SET 1"), answer, "{program}");
    }
}

#[test]
fn stale_copies_what_is_written_to_the_other_node() {
    let _turn = own_the_ports();
    for program in ["stale/stale", "stale/stale-bug"] {
        let files = folder("stale");
        let nodes = [0, 1].map(|node| Server::start(&example(program), node, &files));
        assert_eq!(nodes[1].dial().ask("GET x"), "NONE", "{program}");
        assert_eq!(nodes[0].dial().ask("SET x 1"), "OK", "{program}");
        nodes[1].report_that("the write", |report| report[2..] == [b'1', 0]);
        assert_eq!(nodes[1].dial().ask("GET x"), "1", "{program}");
        assert_eq!(nodes[1].dial().ask("SET y 2"), "OK", "{program}");
        nodes[0].report_that("the write", |report| report[2..] == [b'1', b'2']);
        assert_eq!(nodes[0].dial().ask("GET y"), "2", "{program}");
        assert_eq!(nodes[0].dial().ask("GET"), "ERROR", "{program}");
    }
}

/// The test is the other node, which takes the copy and acknowledges it late.
#[test]
fn stale_answers_when_the_copy_is_acknowledged_and_with_the_bug_before() {
    let _turn = own_the_ports();
    for (program, waits) in [("stale/stale", true), ("stale/stale-bug", false)] {
        let other = TcpListener::bind(("127.0.0.1", 20001)).expect("the port is free");
        let server = Server::start(&example(program), 0, &folder("stale-late"));
        let mut client = server.dial();
        client.send("SET x 1");
        let (mut copy, _) = other.accept().expect("the copy comes");
        let mut text = [0; 16];
        let n = copy.read(&mut text).expect("the copy can be read");
        assert_eq!(&text[..n], b"COPY x 1", "{program}");
        if waits {
            sleep(Duration::from_millis(100));
            assert!(!client.is_answered(), "{program}");
            copy.write_all(b"OK").expect("the node takes the acknowledgement");
        }
        assert_eq!(client.answer(), "OK", "{program}");
    }
}

#[test]
fn counter_counts_everywhere() {
    let _turn = own_the_ports();
    let program = example("counter/counter");
    let files = folder("counter");
    let servers: Vec<Server> = (0..3).map(|node| Server::start(&program, node, &files)).collect();
    for server in &servers {
        server.report_that("that it listens", |report| report.len() == 9);
    }
    assert_eq!(servers[0].dial().ask("INC"), "ALL");
    assert_eq!(servers[1].dial().ask("INC"), "ALL");
    for server in &servers {
        server.report_that("two increments", |report| report[1..5] == [2, 1, 1, 0]);
    }
}

/// The test is node 0, which sends its increment twice.
#[test]
fn counter_counts_once_what_comes_twice_unless_built_with_the_bug() {
    let _turn = own_the_ports();
    for (program, count) in [("counter/counter", 1), ("counter/counter-bug", 2)] {
        let server = Server::start(&example(program), 1, &folder("counter-twice"));
        assert_eq!(server.dial().ask("+01"), "A", "{program}");
        assert_eq!(server.dial().ask("+01"), "A", "{program}");
        // It has reported the second before it takes another request.
        assert_eq!(server.dial().ask("?"), "ERROR", "{program}");
        assert_eq!(server.reports().last().map(|report| report[1]), Some(count), "{program}");
    }
}

#[test]
fn door_lets_one_go_through_and_then_the_other() {
    let _turn = own_the_ports();
    let files = folder("door");
    let second = Server::start(&example("door/door"), 1, &files);
    // Node 0 dials once.
    second.report_that("that it listens", |report| report == [1, 0]);
    let first = Server::start(&example("door/door"), 0, &files);
    first.report_that("that it is through", |report| report == [0, 1]);
    second.report_that("that it is through", |report| report == [1, 1]);
    assert_eq!((first.end(), second.end()), (0, 0));
}

/// The test is node 1, and gives back every offer.
#[test]
fn door_takes_the_second_offer_and_with_the_bug_none() {
    let _turn = own_the_ports();
    for (program, answers) in
        [("door/door", ["AFTER YOU", "THANKS"]), ("door/door-bug", ["AFTER YOU"; 2])]
    {
        let door = TcpListener::bind(("127.0.0.1", 20001)).expect("the port is free");
        let _server = Server::start(&example(program), 0, &folder("door-offers"));
        let (mut conn, _) = door.accept().expect("node 0 dials");
        for answer in answers {
            let mut text = [0; 16];
            let n = conn.read(&mut text).expect("it can be read");
            assert_eq!(&text[..n], answer.as_bytes(), "{program}");
            conn.write_all(b"AFTER YOU").expect("the node takes the offer");
        }
    }
}
