//! The repository as text, and what gates share.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The text files of the repository, by path from its top.
#[derive(Clone)]
pub struct Tree(pub BTreeMap<String, String>);

/// A gate: what breaks its rule, a line each.
pub type Gate = fn(&Tree) -> Vec<String>;

impl Tree {
    /// What is there, build products and traces left out.
    pub fn read() -> Self {
        let mut files = BTreeMap::new();
        read_into(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut files);
        assert!(files.contains_key("src/lib.rs") && files.contains_key("man/cmc.1"));
        Tree(files)
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> &str {
        self.0.get(path).unwrap_or_else(|| panic!("{path} is missing"))
    }

    /// The files whose path starts and ends so.
    pub fn files<'a>(
        &'a self,
        start: &'a str,
        end: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        all.filter(move |(path, _)| path.starts_with(start) && path.ends_with(end))
    }
}

fn read_into(directory: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).expect("a directory of the repository") {
        let entry = entry.expect("an entry of a directory");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if path != "target" && path != ".git" {
                read_into(&entry.path(), &format!("{path}/"), files);
            }
        } else if path != ".git" && !name.ends_with(".trace") {
            // Programs are no text.
            if let Ok(text) = fs::read_to_string(entry.path()) {
                files.insert(path, text);
            }
        }
    }
}

/// The repository keeps the rule.
pub fn holds(gate: Gate) {
    let broken = gate(&Tree::read());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The gate rejects the repository once `file` is changed so, in words that hold `why`.
pub fn rejects(gate: Gate, file: &str, change: impl Fn(&str) -> String, why: &str) {
    let mut tree = Tree::read();
    let old = tree.0.get(file).map_or("", String::as_str);
    let new = change(old);
    assert_ne!(old, new, "the probe changes nothing in {file}");
    tree.0.insert(file.into(), new);
    let broken = gate(&tree);
    assert!(
        broken.iter().any(|line| line.contains(why)),
        "a change of {file} that should be rejected for \"{why}\" was not: {broken:#?}"
    );
}

/// The same for one more line at the end of `file`.
pub fn rejects_line(gate: Gate, file: &str, line: &str, why: &str) {
    rejects(gate, file, |old| format!("{old}\n{line}\n"), why);
}
