//! Nothing that a node does reaches the host: no connection, no file.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::checker::{PATIENCE, check};
use crate::folder::{Folder, root};

/// A listener at a node's port, once nobody else on this host has it.
fn listener(node: u16) -> TcpListener {
    let start = Instant::now();
    loop {
        match TcpListener::bind(("127.0.0.1", 20000 + node)) {
            Ok(listener) => return listener,
            Err(error) => assert!(start.elapsed() < PATIENCE, "port of node {node}: {error}"),
        }
        sleep(Duration::from_millis(50));
    }
}

/// The listeners take what a node would dial on the host; a node that binds its port on the host
/// would find it taken.
#[test]
fn no_connection_reaches_the_host_while_nodes_dial_its_ports() {
    let folder = Folder::new("network");
    folder.copy_example("kv", &["kv", "kv.toml"]);
    folder.copy_example("election", &["election", "election.toml"]);
    let listeners: Vec<TcpListener> = (0..3).map(listener).collect();
    for listener in &listeners {
        listener.set_nonblocking(true).expect("it can be polled");
    }
    let kv = check(&folder, &folder.join("kv.toml"), &[]);
    assert_eq!(kv.code(), 0, "{}", kv.out);
    let election = check(&folder, &folder.join("election.toml"), &["--max-states=60"]);
    assert_eq!(election.code(), 3, "{}", election.out);
    let receipts = election.json()["receipts"].clone();
    assert!(receipts["ACCEPT"].as_u64() > Some(0), "nodes dialled: {receipts}");
    for listener in &listeners {
        let came = listener.accept().map_err(|error| error.kind());
        assert!(matches!(came, Err(ErrorKind::WouldBlock)), "{came:?}");
    }
    // The listeners would have seen one.
    let address = listeners[0].local_addr().expect("it has an address");
    let _dialled = TcpStream::connect(address).expect("it listens");
    assert!(listeners[0].accept().is_ok());
}

#[test]
fn no_file_appears_where_nodes_run() {
    let folder = Folder::new("files");
    for target in ["open_write", "output", "kill_parent", "exec"] {
        let source = root().join(format!("capi-tests/targets/{target}.c"));
        folder.compile(target, &[source.to_str().expect("the path is text")], &[]);
        let model = folder.model(target, "raw", "");
        let before = folder.names();
        let code = check(&folder, &model, &[]).code();
        assert_eq!(code, if target == "output" { 0 } else { 2 }, "{target}");
        assert_eq!(folder.names(), before, "{target}");
    }
}
