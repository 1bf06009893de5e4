//! Folders that are gone when the tests are done.

use std::fs;
use std::path::PathBuf;

/// An empty folder of the test `name`, below that of the build.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("liveness").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}
