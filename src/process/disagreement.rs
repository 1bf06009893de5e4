//! What to say when one step of one local state went two ways: what happened each time, the bytes of
//! memory that differ before it, and both histories.

use super::Processes;
use super::history::History;
use super::request::place;
use super::start_words::{self, Difference};
use super::step::{Cause, Event, Input};
use super::table::{Done, Ending, Leaf};
use super::zygotes::Zygotes;
use crate::error::Error;
use crate::system::Stop;

/// Differing words that a message shows.
const SHOWN: usize = 4;

/// Why the same step went two ways, with the bytes that differ before it and both histories.
pub fn explain(
    processes: &Processes,
    zygotes: &mut Zygotes,
    leaf: &Leaf,
    learned: &Done,
    done: &Done,
    first: Option<&History>,
    second: Option<&History>,
) -> Result<String, Stop> {
    let node = leaf.node;
    let program = &processes.config.nodes[node].program;
    let mut text = format!(
        "node {node} ({program}): identity incomplete: one local state, one step ({}), and two \
         things happen: {} when learned, {} in the audit",
        cause(&leaf.cause),
        did(processes, learned),
        did(processes, done)
    );
    let raw = |done: &Done| match done.ending {
        Ending::Rests(state) => processes.reader.states.get(state.id).raw,
        Ending::Exited | Ending::Broke(_) => false,
    };
    if raw(learned) || raw(done) {
        text.push_str(&format!(
            "; behind it the memory holds an address that cannot be followed ({}), so that the states \
             before it should not have been merged: check this node with state = \"raw\"",
            processes.hidden(node)
        ));
        return Ok(text);
    }
    let (Some(first), Some(second)) = (first, second) else {
        text.push_str("; two boots of the program differ, so that it cannot be checked");
        return Ok(text);
    };
    let mut image = |history: &History| -> Result<_, Stop> {
        let (mut node, _) = zygotes.reach(processes, leaf.node, history, false)?;
        let halted = node.halt()?;
        let stack = halted.registers()?.sp();
        node.go_on(halted)?;
        let image = start_words::image(node.memory(), Some(stack));
        let image = image.ok_or_else(|| Error::Internal("a memory cannot be read".into()))?;
        Ok((node, image))
    };
    let (one, a) = image(first)?;
    let (_two, b) = image(second)?;
    let words = start_words::compare(&a, &b);
    if words.is_empty() {
        text.push_str(
            "; the memories before the step are equal, so the program is not deterministic",
        );
    } else {
        let name = |word: &Difference| {
            // A word may hold several objects: the one whose bytes differ is named.
            let differs = (word.first ^ word.second).to_le_bytes();
            let from = differs.iter().position(|&byte| byte != 0).unwrap_or(0);
            let to = differs.iter().rposition(|&byte| byte != 0).unwrap_or(7);
            let at = word.address + from as u64;
            let symbol = processes.programs[node].object_at(at.wrapping_sub(one.bias()));
            let place = symbol.unwrap_or_else(|| place(one.memory(), at));
            let shown = |word: u64| hex(&word.to_le_bytes()[from..=to]);
            format!("{place} ({at:#x}): x:{} and x:{}", shown(word.first), shown(word.second))
        };
        let mut order: Vec<&Difference> = words.iter().collect();
        let bias = one.bias();
        order.sort_by_key(|word| {
            processes.programs[node].object_at(word.address.wrapping_sub(bias)).is_none()
        });
        let shown: Vec<String> = order.iter().take(SHOWN).map(|word| name(word)).collect();
        text.push_str(&format!(
            "; before the step the memories differ in {} words: {}",
            words.len(),
            shown.join(", ")
        ));
    }
    text.push_str(&match same(first, second) {
        true => format!(
            "; one history ({}) leads to both: something that the program reads differs from run to run \
             (see CAVEATS in cmc(7))",
            told(first)
        ),
        false => format!(
            "; one history: {}; the other: {}; let the state include what is named, or use state = \
             \"raw\"",
            told(first),
            told(second)
        ),
    });
    Ok(text)
}

/// Whether two histories give a node the same.
fn same(first: &History, second: &History) -> bool {
    let given = |step: &&History| (step.cause.clone(), step.answers);
    first.steps().iter().map(given).eq(second.steps().iter().map(given))
}

fn told(history: &History) -> String {
    let steps = history.steps();
    steps.iter().map(|step| cause(&step.cause)).collect::<Vec<_>>().join(", ")
}

/// A cause for people.
pub fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Boot(None) => "boot".into(),
        Cause::Boot(Some(record)) => format!("boot with x:{}", hex(record)),
        Cause::Input(Input::Accepted { synthetic: false }) => "accept".into(),
        Cause::Input(Input::Accepted { synthetic: true }) => "accept a timer connection".into(),
        Cause::Input(Input::Expired) => "time-out".into(),
        Cause::Input(Input::Tick) => "read the time-out's T".into(),
        Cause::Input(Input::Bytes(bytes)) if bytes.is_empty() => "end of stream".into(),
        Cause::Input(Input::Bytes(bytes)) => format!("read {}", quoted(bytes)),
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn did(processes: &Processes, done: &Done) -> String {
    let mut parts: Vec<String> = done.events.iter().filter_map(event).collect();
    parts.push(match &done.ending {
        Ending::Rests(state) => {
            let content = &processes.reader.states.get(state.id).content;
            let shown = &content[..content.len().min(16)];
            format!("it waits with content x:{}", hex(shown))
        }
        Ending::Exited => "it exits".into(),
        Ending::Broke(breach) => breach.why.clone(),
    });
    parts.join(", ")
}

/// An event for people; `None` for one that a history does not need.
pub fn event(event: &Event) -> Option<String> {
    Some(match event {
        Event::Accepted { .. } | Event::Took | Event::Printed { .. } => return None,
        Event::Listening => "it listens".into(),
        Event::Dialled { fd, owner } => format!("it dials node {owner} on descriptor {fd}"),
        Event::Wrote { fd, bytes } => format!("it writes {} to descriptor {fd}", quoted(bytes)),
        Event::Shut { fd } => format!("it shuts descriptor {fd}"),
        Event::Closed { fd, .. } => format!("it closes descriptor {fd}"),
        Event::Persisted { record } => format!("it makes x:{} durable", hex(record)),
    })
}
