//! The node's clock: it stands still but for the node's own TIMEOUTs.

use super::super::node::Node;
use super::super::request::Request;
use super::super::step::Query;
use super::{Answer, errno, refuse};
use crate::system::Stop;

/// 2000-01-01 00:00:00 UTC, in seconds since 1970.
const START: i64 = 946_684_800;
/// What the clocks that count from an unspecified point start at, in seconds.
const UPTIME: i64 = 1000;

pub fn clock(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    if request.call.number == libc::SYS_clock_getres {
        if request.raw(1) == 0 {
            return Ok(Answer::Return(0));
        }
        return Ok(give(request, 1, 0, 1));
    }
    let start = match request.int(0) {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => START,
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => UPTIME,
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => {
            return Ok(give(request, 1, 0, 0));
        }
        _ => {
            let advice = "this clock is not modelled: use CLOCK_REALTIME or CLOCK_MONOTONIC";
            return Err(refuse(node, request, advice));
        }
    };
    let clock = node.ask(Query::Clock);
    Ok(give(request, 1, start + clock / 1_000_000, clock % 1_000_000 * 1000))
}

/// What a node whose clock says `clock` is told: the seconds of `CLOCK_REALTIME`, those of
/// `CLOCK_MONOTONIC`, and the microseconds of both.
pub fn parts(clock: i64) -> (i64, i64, i64) {
    (START + clock / 1_000_000, UPTIME + clock / 1_000_000, clock % 1_000_000)
}

pub fn time_of_day(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let clock = node.ask(Query::Clock);
    if request.raw(0) == 0 {
        return Ok(Answer::Return(0));
    }
    Ok(give(request, 0, START + clock / 1_000_000, clock % 1_000_000))
}

pub fn time(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let seconds = START + node.ask(Query::Clock) / 1_000_000;
    if request.raw(0) != 0 && request.output(0, &seconds.to_le_bytes()).is_none() {
        return Ok(errno(libc::EFAULT));
    }
    Ok(Answer::Return(seconds))
}

fn give(request: &Request, index: usize, seconds: i64, fraction: i64) -> Answer {
    let bytes = [seconds.to_le_bytes(), fraction.to_le_bytes()].concat();
    match request.output(index, &bytes) {
        Some(_) => Answer::Return(0),
        None => errno(libc::EFAULT),
    }
}
