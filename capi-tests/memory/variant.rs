//! The models of the examples under another kind of state: the same programs, clients and budgets, and
//! of the properties those that the kind can read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::programs::checked;

/// Tables that hold properties.
const PROPERTIES: [&str; 4] = ["[invariants]", "[steps]", "[sometimes]", "[eventually]"];

/// A model file, and what it lacks of the one that it was made from.
pub struct Variant {
    pub text: String,
    /// Properties that read a field of a report.
    pub lacks: BTreeSet<String>,
}

/// Every model file of the examples, with its program built.
pub fn examples() -> Vec<PathBuf> {
    static BUILT: OnceLock<()> = OnceLock::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    BUILT.get_or_init(|| {
        let status = Command::new("make").args(["-s", "-C"]).arg(&examples).status();
        assert!(status.is_ok_and(|status| status.success()), "make -C docs/examples");
    });
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("the folder can be read");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let folders = entries(&examples).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    files
}

/// The kind of state of a model file.
pub fn own_kind(text: &str) -> &str {
    let state = text.lines().find_map(|line| line.strip_prefix("state = \""));
    state.and_then(|rest| rest.split('"').next()).expect("examples say their state")
}

/// `text`, which is that of a model file in the folder `home`, with `state = KIND`.
pub fn variant(text: &str, home: &Path, kind: &str) -> Variant {
    let own = own_kind(text);
    let text = text.replace("program = \"./", &format!("program = \"{}/", home.display()));
    let mut variant = Variant { text: String::new(), lacks: BTreeSet::new() };
    if own == kind {
        variant.text = text;
        return variant;
    }
    let symbol = own.strip_prefix("region:");
    let mut fields: Vec<&str> = Vec::new();
    // A table whose lines all go goes too.
    let mut table = String::new();
    let mut pending = None;
    for line in text.lines() {
        if line.starts_with('[') {
            table = line.to_owned();
            pending = Some(line.to_owned()).filter(|_| PROPERTIES.contains(&line));
            if pending.is_some() || own == "report" && line == "[fields]" {
                continue;
            }
        }
        let pair = line.split_once(" = ");
        let kept = match pair {
            Some((name, place)) if table == "[fields]" => {
                fields.push(name);
                // A report is in no variable, a region is one.
                match (symbol, own) {
                    (Some(symbol), _) => {
                        format!("{name} = {}", place.replace('@', &format!("@{symbol}+")))
                    }
                    (None, "report") => continue,
                    (None, _) => line.to_owned(),
                }
            }
            Some((name, rule)) if PROPERTIES.contains(&table.as_str()) => {
                if own == "report" && fields_in(rule, &fields) {
                    variant.lacks.insert(name.trim_matches('"').into());
                    continue;
                }
                line.to_owned()
            }
            Some(("state", _)) => format!("state = \"{kind}\""),
            // Only memory can leave places out.
            Some(("ignore", _)) => continue,
            _ => line.to_owned(),
        };
        if pair.is_some()
            && let Some(head) = pending.take()
        {
            variant.text += &(head + "\n");
        }
        variant.text += &(kept + "\n");
    }
    variant
}

/// Whether `rule` reads one of `fields`.
fn fields_in(rule: &str, fields: &[&str]) -> bool {
    fields.iter().any(|field| {
        let read = format!(".{field}");
        let mut behind = rule.split(&read).skip(1);
        behind.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// What the command finds of `text`, which is a variant of the example in `file`.
pub fn check_variant(test: &str, file: &Path, kind: &str, text: &str) -> Value {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kinds").join(test);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let stem = file.file_stem().expect("a model file has a name").to_string_lossy();
    let kind = kind.split(':').next().unwrap_or_default();
    let copy = folder.join(format!("{stem}-{kind}.toml"));
    std::fs::write(&copy, text).expect("the model file can be written");
    checked(test, &copy, &[])
}

#[test]
fn a_variant_has_the_properties_that_its_kind_can_read() {
    let report = "[[node]]\nprogram = \"./a\"\nstate = \"report\"\n[fields]\nx = \"u8@1\"\n[invariants]\n\
                  \"a\" = \"node(0).x == 1\"\n\"b\" = \"forall r in replies: r.xs\"\n[steps]\n\"c\" = \
                  \"old(node(0).x) == 1\"\n[network]\nmode = \"message\"\n";
    let found = variant(report, Path::new("/there"), "memory");
    let kept = "[[node]]\nprogram = \"/there/a\"\nstate = \"memory\"\n[invariants]\n\"b\" = \"forall r in \
                replies: r.xs\"\n[network]\nmode = \"message\"\n";
    assert_eq!(found.text, kept);
    assert_eq!(found.lacks, ["a", "c"].map(String::from).into());
    let region = report.replace("report", "region:text");
    let found = variant(&region, Path::new("/there"), "raw");
    assert!(found.text.contains("x = \"u8@text+1\"\n[invariants]\n\"a\""), "{}", found.text);
    assert!(found.lacks.is_empty());
    assert_eq!(variant(&region, Path::new("."), "region:text").text, region);
}
