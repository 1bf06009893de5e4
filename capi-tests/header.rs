//! `include/cmc.h` is what the interface in Rust says: cbindgen makes each section of it, and the
//! sections stand in an order for readers. It compiles as C99, C11 and C++11 without a warning. With
//! `CMC_WRITE_HEADER` in the environment, as `make header` sets it, the header is written where it
//! differs.

use std::fs;
use std::path::Path;
use std::process::Command;

use cbindgen::ItemType;
use cmc::capi::version::VERSION;

/// What stands behind the sections.
const FOOT: &str =
    "#ifdef __cplusplus\n}\n#endif\n\n#include \"cmc_core.h\"\n\n#endif /* CMC_H */\n";

/// Where the handles are defined, whose content C does not see.
const HANDLES: [&str; 3] = ["src/check/model.rs", "src/capi/result.rs", "src/capi/world.rs"];
/// By the names that they have in Rust.
const HANDLE_NAMES: [&str; 3] = ["Model", "CmcResult", "CmcWorld"];

/// The sections and the files that they are made from, in an order in which everything stands before
/// it is used.
const SECTIONS: [(&str, &[&str]); 7] = [
    ("Errors and version", &["src/capi/error.rs", "src/capi/version.rs"]),
    ("Cores", &["src/cores/abi.rs"]),
    ("Worlds", &["src/capi/world.rs"]),
    ("Models", &["src/capi/predicate.rs", "src/check/setup.rs", "src/capi/model.rs"]),
    ("Histories", &["src/capi/history.rs"]),
    ("Searches", &["src/capi/search.rs"]),
    ("Results", &["src/capi/result.rs"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The items of these types that cbindgen finds in `sources`.
fn section(title: &str, sources: &[&str], items: &[ItemType], include: &[&str]) -> String {
    let mut config =
        cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    config.export.item_types = items.to_vec();
    config.export.include.extend(include.iter().map(|name| (*name).to_owned()));
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |b, source| b.with_src(root().join(source)));
    let mut text = Vec::new();
    builder.generate().unwrap_or_else(|e| panic!("{sources:?}: {e}")).write(&mut text);
    let text = String::from_utf8(text).expect("a header in UTF-8");
    format!("// -- {title} --\n\n{}\n\n", text.trim())
}

fn generated() -> String {
    let head = fs::read_to_string(root().join("src/capi/head.h")).expect("src/capi/head.h");
    let version = VERSION.to_str().expect("a version in UTF-8");
    let version = format!(
        "// The version that this header belongs to.\n#define CMC_VERSION \"{version}\"\n\n"
    );
    // Handles come first, because sections name those of later ones.
    let handles = section("Handles", &HANDLES, &[ItemType::OpaqueItems], &HANDLE_NAMES);
    let items = [
        ItemType::Constants,
        ItemType::Enums,
        ItemType::Structs,
        ItemType::Typedefs,
        ItemType::Functions,
    ];
    let sections = SECTIONS.iter().map(|(title, sources)| section(title, sources, &items, &[]));
    let parts: Vec<String> =
        [head, version, handles].into_iter().chain(sections).chain([FOOT.into()]).collect();
    parts.concat()
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
    panic!("include/cmc.h is not what the sources say: run make header and look at the difference");
}

#[test]
fn the_header_compiles_twice_included_in_c_and_cxx() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = place.join("header_twice");
    // Nothing is included before it: it brings what it needs. Either header may come first.
    for first in ["cmc.h", "cmc_core.h"] {
        let text = format!(
            "#include <{first}>\n#include <cmc.h>\n#include <cmc_core.h>\n\
             const char *(*version)(void);\n\
             void step(CmcOut *out) {{ cmc_send(out, 1, \"a\", 1); cmc_arm(out, 0); }}\n\
             int main(void) {{ version = cmc_version; return 0; }}\n"
        );
        fs::write(&source, text).expect("the directory for tests can be written");
        for (language, standard) in [("c", "c99"), ("c", "c11"), ("c++", "c++11")] {
            let prototypes: &[&str] = match language {
                "c" => &["-Wstrict-prototypes", "-Wno-missing-prototypes"],
                _ => &[],
            };
            let output = Command::new(std::env::var_os("CC").unwrap_or("cc".into()))
                .args(["-x", language, &format!("-std={standard}"), "-fsyntax-only"])
                .args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"])
                .args(prototypes)
                .arg("-I")
                .arg(root().join("include"))
                .arg(&source)
                .output()
                .expect("the C compiler starts");
            assert!(output.status.success(), "{first} first, {standard}: {output:?}");
        }
    }
}
