//! Cores in C, compiled when the tests run and loaded: what C and Rust say of the types is the same.
#![allow(unsafe_code)] // it loads shared objects

use std::ffi::CString;
use std::path::Path;
use std::process::Command;

use cmc::cores::Core;

/// The core of `capi-tests/cores/NAME.c`, compiled with these definitions.
pub fn load(name: &str, defines: &[&str]) -> Core {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = format!("core-{name}-{}.so", defines.join("-"));
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    // Tests run at the same time, and a file that is loaded must not be written to.
    let fresh = place.with_extension(format!("{:?}", std::thread::current().id()));
    let output = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
        .args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIC", "-shared"])
        .args(defines.iter().map(|define| format!("-D{define}")))
        .arg("-I")
        .arg(root.join("include"))
        .arg(root.join("capi-tests/cores").join(name).with_extension("c"))
        .arg("-o")
        .arg(&fresh)
        .output()
        .expect("the C compiler starts");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::rename(&fresh, &place).expect("in one directory");
    let path = CString::new(place.to_str().expect("UTF-8")).expect("no NUL");
    // SAFETY: the object was compiled above from a core; it stays loaded as long as the tests run.
    unsafe {
        let object = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!object.is_null(), "{name} cannot be loaded");
        let core = libc::dlsym(object, c"cmc_core".as_ptr());
        Core::read(core.cast()).expect("a core without fault")
    }
}
