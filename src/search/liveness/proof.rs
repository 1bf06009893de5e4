//! Whether a path, worlds and steps, proves by itself that a property need not come true. Shares
//! nothing with the code that finds such paths.

use super::Awaited;
use crate::action::Action;
use crate::error::Error;
use crate::system::{Stop, System};
use crate::trace::Trace;

/// Whether `awaited` is true in none of `worlds`, the worlds of `trace`, and either the run may end in
/// the last, or the last is an earlier one and a run that goes round for ever is fair.
/// Answers the state where the round begins; `Err` with a divergence when it is no proof.
pub(in crate::search) fn prove<S: System>(
    system: &S,
    worker: &mut S::Worker,
    awaited: Awaited<'_>,
    worlds: &[Vec<u8>],
    trace: &Trace,
) -> Result<Option<usize>, Error> {
    let name = &awaited.property.name;
    for (at, world) in worlds.iter().enumerate() {
        if (awaited.holds)(&system.view(world))? {
            return Err(Error::Divergence(format!(
                "\"{name}\" comes true, in the state behind step {at}"
            )));
        }
    }
    let mut enabled = |world: &[u8]| {
        let mut actions = Vec::new();
        system.enabled(worker, world, &mut actions).map_err(|stop| match stop {
            Stop::Error(error) => error,
            Stop::Violated(breach) => Error::Divergence(breach.why),
        })?;
        Ok::<_, Error>(actions)
    };
    let last = worlds.len() - 1;
    let goes_on = enabled(&worlds[last])?.iter().any(|action| awaited.goes_on(action.kind));
    let bound = system.bound(&worlds[last]).filter(|_| !goes_on);
    if !goes_on && bound.is_none() {
        return Ok(None);
    }
    // A longer round is fair if a shorter one inside it is.
    let Some(first) = worlds[..last].iter().position(|world| *world == worlds[last]) else {
        let open = match bound {
            Some(bound) => format!("{bound} ends the run"),
            None => {
                "the last state is none of those before it, and something is possible there".into()
            }
        };
        let text = format!("\"{name}\" did not come true yet, and may: {open}");
        return Err(Error::Divergence(text));
    };
    let number = |world: &[u8], action: &Action| {
        let fair = awaited.fair.contains(action.kind);
        fair.then(|| system.fairness(world, action))
    };
    let mut wanted: Option<Vec<u64>> = None;
    let mut taken = Vec::new();
    for (world, label) in worlds[..last].iter().zip(&trace.labels).skip(first) {
        let here: Vec<u64> =
            enabled(world)?.iter().filter_map(|action| number(world, action)).collect();
        wanted = Some(match wanted {
            None => here,
            Some(before) => before.into_iter().filter(|it| here.contains(it)).collect(),
        });
        taken.extend(number(world, &label.action));
    }
    match wanted.unwrap_or_default().iter().any(|it| !taken.contains(it)) {
        false => Ok(Some(first)),
        true => Err(Error::Divergence(format!(
            "\"{name}\" comes true in a fair run: what is possible all the way round is never done"
        ))),
    }
}
