//! `make install` into a staging directory gives a cmc that works from there, and the C library;
//! `make uninstall` leaves nothing of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn make(target: &str, staging: &Path) {
    let built = Path::new(env!("CARGO_BIN_EXE_cmc")).parent().expect("a directory");
    let output = Command::new("make")
        .arg("-C")
        .arg(root())
        .arg(target)
        .arg(format!("BUILT={}", built.display()))
        .arg(format!("DESTDIR={}", staging.display()))
        .arg("PREFIX=/usr")
        .output()
        .expect("make starts");
    assert!(output.status.success(), "make {target}: {output:?}");
}

/// The files below `directory`, relative to it.
fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => left.push(path),
                false => {
                    let inner = path.strip_prefix(directory).expect("below the directory");
                    found.push(inner.display().to_string());
                }
            }
        }
    }
    found.sort();
    found
}

fn staging() -> PathBuf {
    let staging = Path::new(env!("CARGO_TARGET_TMPDIR")).join("staging");
    let _ = fs::remove_dir_all(&staging);
    staging
}

#[test]
fn an_installed_cmc_finds_its_preload_and_checks() {
    let staging = staging();
    make("install", &staging);
    let expected = [
        "usr/bin/cmc",
        "usr/include/cmc.h",
        "usr/include/cmc_core.h",
        "usr/lib/cmc/cmc-preload.so",
        "usr/lib/libcmc.a",
        "usr/lib/libcmc.so",
        "usr/lib/libcmc.so.0.1",
        "usr/lib/pkgconfig/libcmc.pc",
        "usr/share/man/man1/cmc.1",
        "usr/share/man/man3/libcmc.3",
        "usr/share/man/man5/cmc-model.5",
        "usr/share/man/man7/cmc.7",
    ];
    let functions = fs::read_to_string(root().join("capi-tests/symbols.txt")).expect("a text");
    let links = functions.lines().map(|name| format!("usr/share/man/man3/{name}.3"));
    let mut expected: Vec<String> =
        expected.iter().map(|file| (*file).to_owned()).chain(links).collect();
    expected.sort();
    assert_eq!(files(&staging), expected);
    let page = fs::read_to_string(staging.join("usr/share/man/man3/cmc_search.3"));
    assert!(page.expect("a link to a page").contains("\n.Nm cmc_search"));
    let link = fs::read_link(staging.join("usr/lib/libcmc.so")).expect("a symbolic link");
    assert_eq!(link, Path::new("libcmc.so.0.1"));
    let told = fs::read_to_string(staging.join("usr/lib/pkgconfig/libcmc.pc")).expect("a text");
    assert!(told.contains("\nlibdir=/usr/lib\n") && !told.contains('@'), "{told}");
    assert!(!told.contains("staging"), "a staging directory is not the place of anything: {told}");

    let examples = root().join("docs/examples");
    let built = Command::new("make").arg("-s").arg("-C").arg(&examples).status();
    assert!(built.expect("make starts").success());
    let check = || {
        Command::new(staging.join("usr/bin/cmc"))
            .arg(format!("--model-file={}", examples.join("kv/kv.toml").display()))
            .output()
            .expect("the installed cmc starts")
    };
    let output = check();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.starts_with(b"kv: pass\n"), "{output:?}");

    fs::remove_file(staging.join("usr/lib/cmc/cmc-preload.so")).expect("the preload is there");
    let output = check();
    assert_eq!(output.status.code(), Some(2), "without a preload nothing passes: {output:?}");

    make("uninstall", &staging);
    assert_eq!(files(&staging), Vec::<String>::new());
}
