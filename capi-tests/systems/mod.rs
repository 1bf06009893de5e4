//! Systems that the search is tested on. Their worlds have no nodes that a view could show.

pub mod disk_paxos;
pub mod graph;
pub mod oracle;
pub mod rounds;

use cmc::error::Error;
use cmc::world::{Liveness, Message, Reader, Reply};

/// A reader of worlds that are read by their bytes alone.
pub struct Blind;

fn blind<T>() -> Result<T, Error> {
    Err(Error::Internal("a test system has no nodes".into()))
}

impl Reader for Blind {
    fn nodes(&self) -> usize {
        0
    }

    fn liveness(&self, _: &[u8], _: usize) -> Result<Liveness, Error> {
        blind()
    }

    fn content<'w>(&self, _: &'w [u8], _: usize) -> Result<Option<&'w [u8]>, Error> {
        blind()
    }

    fn clock(&self, _: &[u8], _: usize) -> Result<i64, Error> {
        blind()
    }

    fn budget(&self, _: &[u8], _: &str) -> Result<Option<u64>, Error> {
        blind()
    }

    fn messages(&self, _: &[u8], _: &mut dyn FnMut(Message<'_>) -> bool) -> Result<(), Error> {
        blind()
    }

    fn replies(&self, _: &[u8], _: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        blind()
    }
}
