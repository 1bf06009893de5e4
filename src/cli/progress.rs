//! The status line on a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::Instant;

use crate::search::Progress;

/// Writes a line over and over, if there is a terminal to see it.
pub struct StatusLine {
    start: Instant,
    shown: bool,
    wanted: bool,
}

impl StatusLine {
    /// A line that is shown if `wanted` and standard error is a terminal.
    pub fn new(wanted: bool) -> Self {
        let wanted = wanted && stderr().is_terminal();
        StatusLine { start: Instant::now(), shown: false, wanted }
    }

    /// Show how far the search is.
    pub fn show(&mut self, progress: &Progress) {
        if !self.wanted {
            return;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = progress.generated as f64 / seconds.max(1e-3);
        let mut line = format!("{} generated ({rate:.0}/s)", progress.generated);
        if let (Some(distinct), Some(queue)) = (progress.distinct, progress.queue) {
            line += &format!(", {distinct} distinct, {queue} to expand");
        }
        if let Some(walks) = progress.walks {
            line += &format!(", {walks} walks");
        }
        line += &format!(", depth {}, {seconds:.0} s", progress.depth);
        let _ = write!(stderr(), "\r\x1b[K{line}");
        let _ = stderr().flush();
        self.shown = true;
    }

    /// Take the line away.
    pub fn clear(&mut self) {
        if self.shown {
            let _ = write!(stderr(), "\r\x1b[K");
            self.shown = false;
        }
    }
}
