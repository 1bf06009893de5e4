//! A program on real sockets, as an ordinary process: what it answers is what its rules say.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::histories::Client;
use crate::machine::Machine;

/// Longer than anything here takes; a wait that reaches it is a failure.
const PATIENCE: Duration = Duration::from_secs(20);

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when the program has ended and was waited for, which is as well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Have `clients` talk to `program`, one after the other, each sending its messages in their order;
/// what was answered that is not what the rules say. `node` is a number that no other test uses
/// meanwhile.
pub fn hold(
    program: &Path,
    node: u16,
    mut machine: Box<dyn Machine>,
    clients: &[Client],
) -> Result<(), String> {
    let child = Command::new(program)
        .arg(node.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let _running = Running(child);
    for client in clients {
        let mut stream = dial(node);
        for message in &client.messages {
            stream.write_all(message.as_bytes()).expect("the program takes the message");
            let answer = answer(&mut stream);
            let expected = machine.obey(message);
            if answer.is_empty() || expected.as_ref().is_some_and(|expected| *expected != answer) {
                let program = program.display();
                return Err(format!("{program}: {message}: {answer:?}, not {expected:?}"));
            }
        }
        machine.hang_up();
    }
    Ok(())
}

fn dial(node: u16) -> TcpStream {
    let start = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", 20000 + node)) {
            Ok(stream) => {
                stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
                return stream;
            }
            Err(error) => assert!(start.elapsed() < PATIENCE, "node {node}: {error}"),
        }
        sleep(Duration::from_millis(5));
    }
}

/// What one read gives: these programs answer with one write.
fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 64];
    let n = stream.read(&mut bytes).expect("the program answers");
    String::from_utf8_lossy(&bytes[..n]).into_owned()
}
