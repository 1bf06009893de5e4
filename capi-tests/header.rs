//! `include/cmc.h` is what cbindgen makes of `src/capi`, and compiles as C99, C11 and C++11 without
//! a warning. With `CMC_WRITE_HEADER` in the environment, as `make header` sets it, the header is
//! written where it differs.

use std::fs;
use std::path::Path;
use std::process::Command;

use cmc::capi::version::VERSION;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn generated() -> String {
    let mut config =
        cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let version = VERSION.to_str().expect("a version in UTF-8");
    config.after_includes = Some(format!(
        "// The version that this header belongs to.\n#define CMC_VERSION \"{version}\""
    ));
    // It follows the modules, so that their order in the file is the order in the header.
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = builder.with_src(root().join("src/capi/mod.rs"));
    let mut text = Vec::new();
    builder.generate().expect("cbindgen reads src/capi").write(&mut text);
    String::from_utf8(text).expect("a header in UTF-8")
}

#[test]
fn the_header_is_what_the_sources_say() {
    let (place, fresh) = (root().join("include/cmc.h"), generated());
    if fs::read_to_string(&place).is_ok_and(|old| old == fresh) {
        return;
    }
    if std::env::var_os("CMC_WRITE_HEADER").is_some() {
        return fs::write(&place, fresh).expect("the header can be written");
    }
    panic!("include/cmc.h is not what src/capi says: run make header and look at the difference");
}

#[test]
fn the_header_compiles_twice_included_in_c_and_cxx() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = place.join("header_twice");
    // Nothing is included before it: it brings what it needs.
    let text = "#include <cmc.h>\n#include <cmc.h>\n\
                const char *(*version)(void);\nint main(void) { version = cmc_version; return 0; }\n";
    fs::write(&source, text).expect("the directory for tests can be written");
    for (language, standard) in [("c", "c99"), ("c", "c11"), ("c++", "c++11")] {
        let output = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
            .args(["-x", language, &format!("-std={standard}"), "-fsyntax-only"])
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .args((language == "c").then_some("-Wstrict-prototypes"))
            .arg("-I")
            .arg(root().join("include"))
            .arg(&source)
            .output()
            .expect("the C compiler starts");
        assert!(output.status.success(), "{standard}: {output:?}");
    }
}
