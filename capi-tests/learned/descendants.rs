//! Zygotes and their copies die with the command, however it ends.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{examples, folder};

const TIMES: u64 = 20;

/// The processes that run `program`, zombies left out.
fn running(program: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("/proc can be read").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number: &u32| {
            // A zombie has no program any more.
            fs::read_link(format!("/proc/{number}/exe")).is_ok_and(|exe| exe == program)
        })
        .collect()
}

#[test]
fn no_process_of_a_program_outlives_a_killed_search() {
    let folder = folder("killed").canonicalize().expect("the folder is there");
    let program = folder.join("election");
    fs::copy(examples().join("election/election"), &program).expect("the program can be copied");
    let model = fs::read_to_string(examples().join("election/election-crash.toml"));
    // Large enough to be in the middle of it whenever it is killed.
    let model = model.expect("a model file").replace("timeouts = 2", "timeouts = 6");
    let file = folder.join("model.toml");
    fs::write(&file, model).expect("the model file can be written");
    let mut met = 0;
    for time in 0..TIMES {
        let mut search = Command::new(env!("CARGO_BIN_EXE_cmc"))
            .arg(format!("--model-file={}", file.display()))
            .args(["--quiet", "--audit=100%"])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("cmc starts");
        sleep(Duration::from_millis(60 + 13 * time));
        met += running(&program).len();
        assert_eq!(search.try_wait().expect("it can be waited for"), None, "it ended by itself");
        search.kill().expect("it was running");
        search.wait().expect("it can be waited for");
        let start = Instant::now();
        while !running(&program).is_empty() {
            let left = running(&program);
            assert!(start.elapsed() < Duration::from_secs(1), "{left:?} outlived search {time}");
            sleep(Duration::from_millis(10));
        }
    }
    assert!(met > 0, "no process was ever seen, so nothing was tested");
}
