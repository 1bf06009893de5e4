//! The engine against TLC: every row of the tables in `cores/` is searched by the real command, and
//! verdict, trace, depth and counts are TLC's, at the moment of a violation too. `make calibrate`
//! shows ours beside TLC's; docs/CALIBRATION.md is the same table, and is compared.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

/// The numbers that are compared, as JSON and tables call them.
const NUMBERS: [&str; 6] =
    ["trace_len", "depth", "distinct", "generated", "queue_left", "violations"];

/// One search: what TLC says of it, and what we say.
#[derive(Clone, Debug)]
struct Row {
    folder: &'static str,
    cells: Vec<(String, String)>,
}

impl Row {
    fn get(&self, column: &str) -> &str {
        let cell = self.cells.iter().find(|(name, _)| name == column);
        cell.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("a column {column}"))
    }

    /// The words of a list in a cell; `-` is none.
    fn list(&self, column: &str, separator: char) -> impl Iterator<Item = &str> {
        self.get(column).split(separator).filter(|word| *word != "-" && !word.is_empty())
    }

    /// The arguments of cmc.
    fn arguments(&self) -> Vec<String> {
        let core = self.get("core");
        let mut arguments = vec![format!("--core=cores/{}/{core}/{core}.so", self.folder)];
        arguments.extend(self.list("set", ' ').map(|set| format!("--set={set}")));
        arguments.extend(self.list("invariants", ',').map(|name| format!("--property={name}")));
        arguments.extend(self.list("options", ' ').map(|option| format!("--{option}")));
        arguments
    }

    /// What TLC says, by column; a cell that it does not print is left out.
    fn expected(&self) -> Vec<(&'static str, String)> {
        let mut expected = vec![("verdict", self.get("verdict").to_owned())];
        expected.extend(NUMBERS.iter().map(|name| (*name, self.get(name).to_owned())));
        expected.retain(|(_, value)| value != "-");
        expected
    }

    /// What we say, by column.
    fn found(&self, trace: &Path) -> Vec<(&'static str, String)> {
        let output = Command::new(env!("CARGO_BIN_EXE_cmc"))
            .current_dir(root())
            .args(["--json", "--workers=1"])
            .arg(format!("--trace={}", trace.display()))
            .args(self.arguments())
            .output()
            .expect("cmc starts");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{self:?}: {error}: {}", String::from_utf8_lossy(&output.stderr))
        });
        let number = |name: &str| match (&json[name], name) {
            (Value::Number(number), _) => number.to_string(),
            (_, "trace_len") => "0".into(),
            _ => "-".into(),
        };
        let verdict = match json["verdict"].as_str() {
            Some("violated") => json["property"].as_str().unwrap_or("?").to_owned(),
            other => other.unwrap_or("?").to_owned(),
        };
        let mut found = vec![("verdict", verdict)];
        found.extend(NUMBERS.iter().map(|name| (*name, number(name))));
        found
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rows(folder: &'static str) -> Vec<Row> {
    let file = root().join("cores").join(folder).join("rows.tsv");
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let names: Vec<&str> = lines.next().expect("a line of names").split('\t').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), names.len(), "{}: {line}", file.display());
        let cells = names.iter().zip(cells).map(|(name, cell)| (name.to_string(), cell.to_owned()));
        Row { folder, cells: cells.collect() }
    };
    lines.map(row).collect()
}

/// Search every row, two at a time; the rows with what we say of them.
fn measure(folder: &'static str) -> Vec<(Row, Vec<(&'static str, String)>)> {
    let built = Command::new("make").args(["-s", "-C"]).arg(root().join("cores")).status();
    assert!(built.is_ok_and(|status| status.success()), "make -C cores");
    let rows = rows(folder);
    let next = Mutex::new(0..rows.len());
    let found = Mutex::new(vec![Vec::new(); rows.len()]);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (rows, next, found) = (&rows, &next, &found);
            scope.spawn(move || {
                let trace =
                    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{folder}-{worker}.trace"));
                loop {
                    let Some(at) = next.lock().expect("no test has panicked").next() else { break };
                    let ours = rows[at].found(&trace);
                    found.lock().expect("no test has panicked")[at] = ours;
                }
            });
        }
    });
    let found = found.into_inner().expect("no test has panicked");
    rows.into_iter().zip(found).collect()
}

/// Where a row differs from TLC's, in words.
fn difference(row: &Row, found: &[(&'static str, String)]) -> Option<String> {
    let ours = |column: &str| found.iter().find(|(name, _)| *name == column).expect("a column");
    let wrong: Vec<String> = row
        .expected()
        .into_iter()
        .filter(|(column, value)| ours(column).1 != *value)
        .map(|(column, value)| format!("{column} {} where TLC has {value}", ours(column).1))
        .collect();
    (!wrong.is_empty()).then(|| format!("{}: {}", row.get("id"), wrong.join(", ")))
}

/// The table of `measured` rows.
fn table(measured: &[(Row, Vec<(&'static str, String)>)]) -> String {
    let mut text = String::from(
        "| row | core | set | checked | options | verdict | trace | depth | distinct | generated | \
         queue | violating |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (row, found) in measured {
        let ours = found.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row.get("id"),
            row.get("core"),
            row.get("set"),
            row.get("invariants").replace(',', ", "),
            row.get("options"),
            ours.join(" | "),
        );
    }
    text
}

/// Fail on every row that differs; show the table.
fn calibrate(folder: &'static str, least: usize) -> String {
    let measured = measure(folder);
    assert!(measured.len() >= least, "{folder} has {} rows", measured.len());
    let table = table(&measured);
    println!("{table}");
    let wrong: Vec<String> =
        measured.iter().filter_map(|(row, found)| difference(row, found)).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} rows differ:\n{}",
        wrong.len(),
        measured.len(),
        wrong.join("\n")
    );
    println!("all {} rows of cores/{folder} are equal to TLC's", measured.len());
    table
}

/// That docs/CALIBRATION.md holds `table`.
fn documented(table: &str) {
    let page = root().join("docs/CALIBRATION.md");
    let text = fs::read_to_string(&page).unwrap_or_default();
    if !text.contains(table) {
        let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calibration.md");
        fs::write(&fresh, table).expect("the directory for tests can be written");
        panic!("docs/CALIBRATION.md lacks this table: take it from {}", fresh.display());
    }
}

#[test]
fn every_row_of_tlc_comes_out_as_tlc_has_it() {
    documented(&calibrate("calibration", 68));
}

#[test]
fn every_published_model_comes_out_as_published() {
    documented(&calibrate("ports", 10));
}

#[test]
fn a_row_that_differs_in_any_number_is_refused() {
    let row = &rows("calibration")[0];
    let found: Vec<(&'static str, String)> = row.expected();
    assert_eq!(difference(row, &found), None);
    for at in 0..found.len() {
        let mut wrong = found.clone();
        wrong[at].1.push('1');
        assert!(difference(row, &wrong).is_some(), "{wrong:?}");
    }
}

#[test]
fn numbers_that_do_not_go_together_are_refused_by_their_names() {
    let built = Command::new("make").args(["-s", "-C"]).arg(root().join("cores")).status();
    assert!(built.is_ok_and(|status| status.success()), "make -C cores");
    let core = root().join("cores/calibration/register_disk_paxos/register_disk_paxos.so");
    let core = format!("--core={}", core.display());
    // A process without a ballot.
    let arguments = [&core, "--set", "N=3", "--set", "B=2"];
    let output = Command::new(env!("CARGO_BIN_EXE_cmc")).args(arguments).output();
    let output = output.expect("cmc starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("--set N=3 --set B=2: the core refuses these numbers together"),
        "{said}"
    );
}
