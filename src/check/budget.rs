//! `[budget]`: how often each fault may happen, and where a crash may fall.

use super::key::BUDGET;
use super::table::Item;
use crate::error::Error;
use crate::limits;
use crate::process::config::{Budgets, Crash};

/// Read the budgets; without the table all are zero.
pub fn read(budget: Option<Item<'_>>) -> Result<(Budgets, Crash), Error> {
    let Some(item) = budget else { return Ok((Budgets::default(), Crash::BetweenEffects)) };
    let table = item.table(BUDGET)?;
    let count = |key| match table.get(key) {
        Some(item) => item.integer(0..=limits::BUDGET.value as i64).map(|count| count as u8),
        None => Ok(0),
    };
    let budgets = Budgets {
        timeouts: count("timeouts")?,
        crashes: count("crashes")?,
        restarts: count("restarts")?,
        drops: count("drops")?,
    };
    let crash = match table.get("crash") {
        Some(word) => word.choice(&[("quiescent", Crash::Quiescent)])?,
        None => Crash::BetweenEffects,
    };
    if budgets.restarts > 0 && budgets.crashes == 0 {
        let restarts = table.get("restarts").unwrap_or(item);
        return Err(restarts
            .error("only a crashed node restarts; add crashes = 1 or more, or remove restarts"));
    }
    Ok((budgets, crash))
}
