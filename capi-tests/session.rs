//! The EXAMPLES of a manual page as sessions: commands, and the lines that they print. `...` stands
//! for any text, and further lines between are left out in the page.

use std::process::{Command, Output};

/// A command and what it prints.
#[derive(Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The command.
    pub command: String,
    /// Lines of its output, in their order.
    pub expected: Vec<String>,
}

/// The displays in the section EXAMPLES, line by line.
pub fn displays(page: &str) -> Vec<Vec<String>> {
    let examples = page.split("\n.Sh ").find(|section| section.starts_with("EXAMPLES\n"));
    let displays = examples.expect("a section EXAMPLES").split("\n.Bd -literal").skip(1);
    let lines = |display: &str| {
        let body = display.split("\n.Ed").next().unwrap_or_default();
        let shown = |line: &str| line.replace("\\&", "").replace("\\e", "\\");
        body.lines().skip(1).map(shown).collect()
    };
    displays.map(lines).collect()
}

/// The exchanges in those displays that start with a command.
pub fn exchanges(page: &str) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    let is_session = |lines: &Vec<String>| lines.first().is_some_and(|line| line.starts_with("$ "));
    for line in displays(page).into_iter().filter(is_session).flatten() {
        match line.strip_prefix("$ ") {
            Some(command) => {
                exchanges.push(Exchange { command: command.into(), expected: Vec::new() });
            }
            None => {
                exchanges.last_mut().expect("a session starts with a command").expected.push(line)
            }
        }
    }
    exchanges
}

/// Whether `line` is what `pattern` says.
pub fn matches(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("...") else { return pattern == line };
    line.strip_prefix(start).is_some_and(|tail| {
        rest.is_empty() || tail.char_indices().any(|(at, _)| matches(rest, &tail[at..]))
    })
}

/// The first expected line that `output` does not hold behind those before it.
pub fn missing<'a>(expected: &'a [String], output: &str) -> Option<&'a str> {
    let mut lines = output.lines();
    let mut found = |pattern: &str| lines.any(|line| matches(pattern, line));
    expected.iter().map(String::as_str).find(|pattern| !found(pattern))
}

/// Run `session`; `shell` makes the shell that runs each command.
pub fn happens(session: Vec<Exchange>, shell: impl Fn() -> Command) {
    let mut status = 0;
    for Exchange { command, expected } in session {
        // The exit status of the command before it is there to be asked for.
        let script = format!("(exit {status})\n{command}");
        let output: Output = shell().arg("-c").arg(script).output().expect("sh starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        if let Some(line) = missing(&expected, &text) {
            panic!("$ {command}\nprinted no line \"{line}\" in its place:\n{text}{errors}");
        }
        let quiet = command.starts_with("echo") || command.starts_with("cc ");
        assert!(quiet || !text.is_empty(), "$ {command}\n{errors}");
        status = output.status.code().expect("an exit status");
    }
}
