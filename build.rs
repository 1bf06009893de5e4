//! Builds `cmc-preload.so` from `preload/*.c` and puts it beside the binaries. The numbers it shares
//! with the checker come from the same Rust file in both: here they are written out as `contract.h`.
//! Says how the library is called, and what the command exports to the core files that it opens.

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

// The checker uses what this script only writes out by way of NUMBERS.
#[allow(dead_code)]
#[path = "src/process/contract.rs"]
mod contract;

const NAME: &str = "cmc-preload.so";
/// The functions of the C interface, a name a line.
const SYMBOLS: &str = "capi-tests/symbols.txt";

/// Everything but names of files. No start files: they would bring writable data of their own, and
/// all that the preload may write lies in its arena. `-fno-builtin-…`: these functions are what we
/// define, so the compiler must not reason about them or make calls of one out of another.
const FLAGS: [&str; 24] = [
    "-std=gnu11",
    "-O2",
    "-g",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-builtin-malloc",
    "-fno-builtin-calloc",
    "-fno-builtin-realloc",
    "-fno-builtin-free",
    "-fno-builtin-aligned_alloc",
    "-fno-builtin-posix_memalign",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
    "-shared",
    "-nostartfiles",
    "-Wl,-z,initfirst",
    "-Wl,-z,relro",
    "-Wl,-z,now",
    "-Wl,-z,nodelete",
    "-Wl,-z,defs",
    "-Wl,--build-id=sha1",
    "-Wl,-soname,cmc-preload.so",
];

fn main() {
    if let Err(why) = run() {
        eprintln!("error: {why}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    let sources = root.join("preload");
    for path in ["build.rs", "src/process/contract.rs", "preload", SYMBOLS] {
        println!("cargo:rerun-if-changed={path}");
    }

    let header = out.join("contract.h");
    fs::write(&header, contract_header()).map_err(|e| failed("write", &header, &e))?;
    let built = out.join(NAME);
    compile(&root, &out, &c_files(&sources)?, &built)?;
    place_beside_binaries(&out, &built)?;
    println!("cargo:rustc-env=CMC_PRELOAD_BUILT={}", built.display());
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{}", soname()?);
    let symbols = root.join(SYMBOLS);
    let names = fs::read_to_string(&symbols).map_err(|e| failed("read", &symbols, &e))?;
    for name in names.lines() {
        // Nothing in the command calls it: keep it, and let core files see it.
        println!("cargo:rustc-link-arg-bins=-Wl,--undefined={name}");
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
    Ok(())
}

/// Until 1.0 every minor version may change the interface, so both numbers name it.
fn soname() -> Result<String, String> {
    let number = |part| variable(&format!("CARGO_PKG_VERSION_{part}"));
    Ok(format!("libcmc.so.{}.{}", number("MAJOR")?, number("MINOR")?))
}

fn contract_header() -> String {
    let mut text = String::from(
        "/* Generated from src/process/contract.rs. */\n#ifndef CMC_CONTRACT_H\n#define CMC_CONTRACT_H\n",
    );
    for (name, value) in contract::NUMBERS {
        let _ = writeln!(text, "#define {name} {value:#x}ull");
    }
    text + "#endif\n"
}

/// The C files of a directory in the order of their names, so that the same sources make the same
/// library.
fn c_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(|e| failed("read", directory, &e))? {
        let path = entry.map_err(|e| failed("read", directory, &e))?.path();
        if path.extension() == Some(OsStr::new("c")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn compile(root: &Path, out: &Path, files: &[PathBuf], built: &Path) -> Result<(), String> {
    const NO_COMPILER: &str =
        "install a C compiler (apt-get install gcc libc6-dev) or name one in CC";
    let compiler = cc::Build::new()
        .no_default_flags(true)
        .warnings(false)
        .try_get_compiler()
        .map_err(|e| format!("no C compiler for {NAME}: {e}; {NO_COMPILER}"))?;
    let output = compiler
        .to_command()
        .args(FLAGS)
        .arg(format!("-ffile-prefix-map={}=.", root.display()))
        .arg(format!("-ffile-prefix-map={}=.", out.display()))
        .arg("-I")
        .arg(out)
        .args(files)
        .arg("-o")
        .arg(built)
        .current_dir(root)
        .output()
        .map_err(|e| {
            format!("cannot run the C compiler {}: {e}; {NO_COMPILER}", compiler.path().display())
        })?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{} did not compile {NAME} ({}):\n{}",
        compiler.path().display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// `OUT_DIR` is `target/PROFILE/build/cmc-HASH/out`. The copy is renamed into place, so that a
/// program that has the old one mapped keeps it.
fn place_beside_binaries(out: &Path, built: &Path) -> Result<(), String> {
    let binaries = out.ancestors().nth(3).ok_or_else(|| {
        format!("cannot tell the directory of the binaries from OUT_DIR {}", out.display())
    })?;
    let new = binaries.join(format!(".{NAME}.{}", std::process::id()));
    let place = binaries.join(NAME);
    fs::copy(built, &new).map_err(|e| failed("write", &new, &e))?;
    fs::rename(&new, &place).map_err(|e| failed("write", &place, &e))
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|e| format!("{name}: {e}; run this script by cargo"))
}

fn failed(what: &str, path: &Path, why: &std::io::Error) -> String {
    format!("cannot {what} {}: {why}", path.display())
}
