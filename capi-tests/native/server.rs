//! One node as an ordinary process with its descriptors 3 and 193 on files, killed when dropped.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than anything here takes; a wait that reaches it is a failure.
const PATIENCE: Duration = Duration::from_secs(20);

static PORTS: Mutex<()> = Mutex::new(());

/// Nobody else uses the ports meanwhile. A test that failed with them does not spoil the others.
pub fn own_the_ports() -> MutexGuard<'static, ()> {
    PORTS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder for the files of one test.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native").join(test);
    match fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => panic!("{}: {e}", folder.display()),
        _ => fs::create_dir_all(&folder).expect("the folder can be made"),
    }
    folder
}

pub struct Server {
    child: Child,
    node: u16,
    folder: PathBuf,
}

impl Server {
    /// Starts a program as a node. Its records of an earlier life in the same folder are durable,
    /// its reports are not. Bash, because other shells know no descriptor above 9.
    pub fn start(program: &Path, node: u16, folder: &Path) -> Server {
        let script = format!(
            "exec \"$0\" {node} 3>report-{node} 193<>durable-{node} >stdout-{node} 2>stderr-{node}"
        );
        let child = Command::new("bash")
            .args(["-c", &script])
            .arg(program)
            .current_dir(folder)
            .stdin(Stdio::null())
            .spawn()
            .expect("bash starts");
        Server { child, node, folder: folder.to_path_buf() }
    }

    /// A connection, once the node listens.
    pub fn dial(&self) -> Dialogue {
        let start = Instant::now();
        loop {
            match TcpStream::connect(("127.0.0.1", 20000 + self.node)) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
                    return Dialogue { stream };
                }
                Err(e) => {
                    assert!(start.elapsed() < PATIENCE, "node {} does not listen: {e}", self.node)
                }
            }
            sleep(Duration::from_millis(10));
        }
    }

    /// All complete reports so far, without their length bytes.
    pub fn reports(&self) -> Vec<Vec<u8>> {
        let bytes = self.written("report");
        let mut rest = bytes.as_slice();
        let mut reports = Vec::new();
        while let [length, tail @ ..] = rest {
            let Some((report, after)) = tail.split_at_checked(usize::from(*length)) else {
                break;
            };
            reports.push(report.to_vec());
            rest = after;
        }
        reports
    }

    /// Waits for the report that satisfies this.
    pub fn report_that(&self, what: &str, is: impl Fn(&[u8]) -> bool) {
        let start = Instant::now();
        while !self.reports().iter().any(|report| is(report)) {
            assert!(start.elapsed() < PATIENCE, "never reported {what}: {:?}", self.reports());
            sleep(Duration::from_millis(10));
        }
    }

    /// What the node has written to `stdout`, `stderr`, `report` or `durable`.
    pub fn written(&self, to: &str) -> Vec<u8> {
        fs::read(self.folder.join(format!("{to}-{}", self.node))).unwrap_or_default()
    }

    pub fn crash(mut self) {
        self.child.kill().expect("the node was running");
        self.child.wait().expect("the node can be waited for");
    }

    /// How the node ended of itself: its status, or minus the signal that killed it.
    pub fn end(mut self) -> i32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the node can be waited for") {
                let signal = status.signal().map(|signal| -signal);
                return status.code().or(signal).expect("a status or a signal");
            }
            assert!(start.elapsed() < PATIENCE, "node {} does not end", self.node);
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail when the node has ended and was waited for, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client's connection.
pub struct Dialogue {
    stream: TcpStream,
}

impl Dialogue {
    pub fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).expect("the node takes the message");
    }

    /// What one read gives: these servers answer with one write.
    pub fn answer(&mut self) -> String {
        let mut bytes = [0; 64];
        let n = self.stream.read(&mut bytes).expect("the node answers");
        String::from_utf8_lossy(&bytes[..n]).into_owned()
    }

    /// Whether an answer is there already.
    pub fn is_answered(&self) -> bool {
        self.stream.set_nonblocking(true).expect("a stream can be told not to block");
        let answered = self.stream.peek(&mut [0]).is_ok();
        self.stream.set_nonblocking(false).expect("and to block again");
        answered
    }

    pub fn ask(&mut self, text: &str) -> String {
        self.send(text);
        self.answer()
    }

    /// No more messages from here; answers still come.
    pub fn hang_up(&self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection was open");
    }
}
