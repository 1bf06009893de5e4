//! The effects of a step, and the crash that may fall between any two of them.

use super::config::{Config, Crash};
use super::environment::Environment;
use super::step::Event;

/// How many ways a step with so many effects can end: 1, or as many as those are, if a crash may
/// fall between them. Way 0 is the whole step, way `k` ends behind its `k`-th effect.
pub fn ways(config: &Config, environment: &Environment, effects: usize) -> usize {
    let may_crash = config.crash == Crash::BetweenEffects && environment.budgets.crashes > 0;
    match may_crash {
        true => effects.max(1),
        false => 1,
    }
}

/// How many of `events` are effects.
pub fn count(events: &[Event]) -> usize {
    events.iter().filter(|event| event.is_effect()).count()
}

/// `events` up to the `k`-th effect, and what is lost with the rest; `k` is at least 1.
pub fn split(events: &[Event], k: usize) -> (&[Event], &[Event]) {
    let effects = events.iter().enumerate().filter(|(_, event)| event.is_effect());
    let end = effects.map(|(index, _)| index + 1).nth(k - 1).unwrap_or(events.len());
    events.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_effect_stays_with_the_effect_before_the_crash() {
        let close = |fd| Event::Closed { fd, listener: false };
        let print = |fd| Event::Printed { fd, bytes: Vec::new() };
        let events = [print(1), close(4), print(2), close(5), print(1)];
        assert_eq!(count(&events), 2);
        assert_eq!(split(&events, 1), (&events[..2], &events[2..]));
        assert_eq!(split(&events, 2), (&events[..4], &events[4..]));
    }
}
