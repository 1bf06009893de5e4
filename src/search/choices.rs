//! The three ways to answer the choices of a step: enumerate them all, draw them, read them from a
//! trace. A label keeps the choices up to the last that is not 0; those left out are 0.
//!
//! [`Choice`] cannot fail, so a fault is kept, 0 is answered, and the step's result is thrown away.

use super::random::Random;
use crate::action::{Action, ChoiceKind, Label};
use crate::error::Error;
use crate::system::Choice;

/// A label keeps a choice in 16 bits.
const MOST: usize = 1 << 16;

/// A choice that was answered.
struct Taken {
    kind: ChoiceKind,
    value: u16,
    count: usize,
}

/// The choices of one step so far.
#[derive(Default)]
struct Record {
    taken: Vec<Taken>,
    fault: Option<Error>,
}

impl Record {
    fn take(&mut self, kind: ChoiceKind, count: usize, value: usize) -> usize {
        if count == 0 || count > MOST {
            self.fail(Error::Internal(format!(
                "a step asks to choose among {count}; it must be 1 to {MOST}"
            )));
            return 0;
        }
        self.taken.push(Taken { kind, value: value as u16, count });
        value
    }

    fn fail(&mut self, error: Error) {
        self.fault.get_or_insert(error);
    }
}

fn label(action: Action, taken: &[Taken]) -> Label {
    if taken.is_empty() {
        return Label::plain(action);
    }
    let kept = taken.iter().rposition(|choice| choice.value != 0).map_or(0, |at| at + 1);
    Label { action, choices: taken[..kept].iter().map(|choice| choice.value).collect() }
}

fn crashed(taken: &[Taken]) -> bool {
    let crash = |choice: &Taken| choice.kind == ChoiceKind::Crash && choice.value != 0;
    taken.iter().any(crash)
}

/// Enumerates: every sequence of answers in lexicographic order, all 0 first.
#[derive(Default)]
pub(super) struct Odometer {
    record: Record,
    asked: usize,
}

impl Odometer {
    /// Start over with all 0, for another action.
    pub(super) fn reset(&mut self) {
        self.record.taken.clear();
        self.asked = 0;
    }

    /// Go to the next sequence; `false` when there is none.
    pub(super) fn advance(&mut self) -> bool {
        self.asked = 0;
        let taken = &mut self.record.taken;
        while let Some(last) = taken.last_mut() {
            if usize::from(last.value) + 1 < last.count {
                last.value += 1;
                return true;
            }
            taken.pop();
        }
        false
    }

    /// What was wrong with the choices that the finished step asked for.
    pub(super) fn fault(&mut self) -> Option<Error> {
        if self.asked < self.record.taken.len() {
            self.record.fail(unrepeatable());
        }
        self.record.fault.take()
    }

    /// `action` with the choices taken inside it.
    pub(super) fn label(&self, action: Action) -> Label {
        label(action, &self.record.taken)
    }

    /// Whether the node died inside the step.
    pub(super) fn crashed(&self) -> bool {
        crashed(&self.record.taken)
    }
}

impl Choice for Odometer {
    fn choose(&mut self, kind: ChoiceKind, count: usize) -> usize {
        let known = self.record.taken.get(self.asked);
        self.asked += 1;
        match known {
            None => self.record.take(kind, count, 0),
            Some(known) if known.kind == kind && known.count == count => known.value.into(),
            Some(_) => {
                self.record.fail(unrepeatable());
                0
            }
        }
    }
}

fn unrepeatable() -> Error {
    Error::Divergence(
        "a step that was repeated asked for other choices than before; \
         the system is not deterministic"
            .into(),
    )
}

/// Draws each answer.
pub(super) struct Draw<'a> {
    random: &'a mut Random,
    record: Record,
}

impl<'a> Draw<'a> {
    pub(super) fn new(random: &'a mut Random) -> Self {
        Draw { random, record: Record::default() }
    }

    /// `action` with the choices drawn, whether the node died inside it, and what was wrong.
    pub(super) fn finish(self, action: Action) -> (Label, bool, Option<Error>) {
        let taken = &self.record.taken;
        (label(action, taken), crashed(taken), self.record.fault)
    }
}

impl Choice for Draw<'_> {
    fn choose(&mut self, kind: ChoiceKind, count: usize) -> usize {
        let value = self.random.below(count.min(MOST));
        self.record.take(kind, count, value)
    }
}

/// Reads the answers from a trace; those left out at the end are 0.
pub(super) struct Script<'a> {
    wanted: &'a [u16],
    record: Record,
}

impl<'a> Script<'a> {
    pub(super) fn new(wanted: &'a [u16]) -> Self {
        Script { wanted, record: Record::default() }
    }

    /// `action` with the choices read, and whether the node died inside it. A choice that the step
    /// did not ask for, or that it does not have, is a divergence.
    pub(super) fn finish(mut self, action: Action) -> (Label, bool, Option<Error>) {
        let (wanted, asked) = (self.wanted.len(), self.record.taken.len());
        if wanted > asked {
            self.record.fail(Error::Divergence(format!(
                "the trace gives {wanted} choices, and the step asked for {asked}"
            )));
        }
        let taken = &self.record.taken;
        (label(action, taken), crashed(taken), self.record.fault)
    }
}

impl Choice for Script<'_> {
    fn choose(&mut self, kind: ChoiceKind, count: usize) -> usize {
        let at = self.record.taken.len();
        let wanted = usize::from(self.wanted.get(at).copied().unwrap_or(0));
        if wanted < count {
            return self.record.take(kind, count, wanted);
        }
        self.record.fail(Error::Divergence(format!(
            "the trace takes @{wanted} for choice {} of the step, which is one of 0 to {}",
            at + 1,
            count.saturating_sub(1)
        )));
        self.record.take(kind, count, 0)
    }
}
