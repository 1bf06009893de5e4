//! The probes, compiled in many ways, and what they print.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cmc::process::debug::DebugInfo;

/// A compiled probe.
pub struct Probe {
    /// How it was compiled, for messages.
    pub how: String,
    /// What its file says.
    pub debug: DebugInfo,
    /// What it says.
    pub said: Vec<Said>,
}

/// A line that a probe prints: `KIND NAME NUMBER SIZE`.
pub struct Said {
    pub kind: String,
    pub name: String,
    pub number: i64,
    pub size: u64,
}

impl Probe {
    /// The numbers of the lines of `kind`, by name.
    pub fn number(&self, kind: &str, name: &str) -> i64 {
        let mut lines = self.said.iter().filter(|line| line.kind == kind && line.name == name);
        lines.next().unwrap_or_else(|| panic!("{}: no {kind} {name}", self.how)).number
    }

    /// The return address that is called `name`.
    pub fn pc(&self, name: &str) -> u64 {
        self.number("pc", name) as u64
    }

    /// Whether a compiler did this that counts from the frame pointer without optimisation.
    pub fn is_optimised(&self) -> bool {
        self.how.contains("-O2")
    }
}

fn is_there(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Compile `sources` by `compiler` with `flags`.
pub fn compile(compiler: &str, flags: &[&str], sources: &[&str]) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = sources[0].trim_end_matches(".c");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("debug-{name}-{}-{number}", std::process::id()));
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/debug");
    let output = Command::new(compiler)
        .args(flags)
        .arg("-o")
        .arg(&target)
        .args(sources)
        .current_dir(directory)
        .output()
        .expect(compiler);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target
}

/// The probes of `sources`, compiled in every way that makes a difference, once.
pub fn probes(sources: &[&'static str]) -> Arc<Vec<Probe>> {
    type Known = BTreeMap<Vec<&'static str>, Arc<Vec<Probe>>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let probes = known.entry(sources.to_vec()).or_insert_with(|| Arc::new(every_way(sources)));
    Arc::clone(probes)
}

fn every_way(sources: &[&str]) -> Vec<Probe> {
    let ways: [&[&str]; 4] = [
        &["-O0", "-gdwarf-5"],
        &["-O2", "-gdwarf-5", "-no-pie", "-fno-pie", "-fdebug-types-section"],
        &["-O2", "-gdwarf-4", "-fstack-protector-strong", "-fdebug-types-section"],
        &["-O0", "-gdwarf-4", "-gz=zlib"],
    ];
    let compilers = ["cc", "clang"].into_iter().filter(|compiler| is_there(compiler));
    compilers.flat_map(|compiler| ways.map(|flags| probe(compiler, flags, sources))).collect()
}

/// Compile `sources` by `compiler` with `flags`, and run what comes out.
pub fn probe(compiler: &str, flags: &[&str], sources: &[&str]) -> Probe {
    let path = compile(compiler, flags, sources);
    let output = Command::new(&path).output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap().lines().map(read).collect();
    let debug = DebugInfo::open(&path);
    let how = format!("{compiler} {} {}", flags.join(" "), sources.join(" "));
    let _ = std::fs::remove_file(&path);
    Probe { how, debug, said }
}

fn read(line: &str) -> Said {
    let broken = || -> ! { panic!("a probe says {line:?}") };
    let Some((kind, rest)) = line.split_once(' ') else { broken() };
    let Some((rest, size)) = rest.rsplit_once(' ') else { broken() };
    let Some((name, number)) = rest.rsplit_once(' ') else { broken() };
    let number = match number.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let (Ok(number), Ok(size)) = (number, size.parse()) else { broken() };
    Said { kind: kind.into(), name: name.into(), number, size }
}
