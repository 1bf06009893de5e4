//! Worlds as callers see them: lent to a predicate for one evaluation, or kept with a result.

use std::array;
use std::mem::forget;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::copies::Copies;
use super::error::Failure;
use super::world::CmcWorld;
use crate::check::snapshot::Snapshot;
use crate::world::View;

/// What a [`CmcWorld`] is.
pub(super) struct World<'a> {
    pub(super) source: Source<'a>,
    /// Made when an accessor needs them, which for most predicates is never.
    copies: OnceLock<Mutex<Box<Copies>>>,
    /// What the first accessor that failed said.
    fault: OnceLock<String>,
}

/// What is true of all worlds of a model.
pub(super) struct Extra {
    /// The settings of the core.
    pub(super) settings: Option<Arc<[u8]>>,
    /// Whether a world is nothing but the state of node 0: that of a core which lists its own actions.
    pub(super) bare: bool,
}

/// Where it is read from, and a core's settings.
pub(super) enum Source<'a> {
    /// By reference, as to copy a view costs more than most predicates do.
    Lent(&'a View<'a>, &'a Extra),
    Kept(Box<Snapshot>, Option<Arc<[u8]>>),
}

impl<'a> World<'a> {
    fn new(source: Source<'a>) -> Self {
        World { source, copies: OnceLock::new(), fault: OnceLock::new() }
    }

    /// A world that owns all that is read of it.
    pub(super) fn kept(snapshot: Snapshot, settings: Option<Arc<[u8]>>) -> World<'static> {
        World::new(Source::Kept(Box::new(snapshot), settings))
    }

    /// The world as C has it; as good as `self`.
    pub(super) fn pointer(&self) -> *const CmcWorld {
        (&raw const *self).cast()
    }

    /// The world, and the means to read it.
    pub(super) fn view(&self) -> View<'_> {
        match &self.source {
            Source::Lent(view, _) => **view,
            Source::Kept(snapshot, _) => snapshot.view(),
        }
    }

    /// The settings of the core.
    pub(super) fn settings(&self) -> Option<&[u8]> {
        match &self.source {
            Source::Lent(_, extra) => extra.settings.as_deref(),
            Source::Kept(_, settings) => settings.as_deref(),
        }
    }

    /// What was copied for accessors.
    pub(super) fn copies(&self) -> MutexGuard<'_, Box<Copies>> {
        let copies = self.copies.get_or_init(|| Mutex::new(Copies::fresh()));
        copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `node` as a number, if there is one.
    pub(super) fn node(&self, node: usize) -> Result<usize, Failure> {
        let nodes = self.view().reader.nodes();
        if node < nodes { Ok(node) } else { Err(Failure::range("node", node, nodes)) }
    }

    /// Whether it was lent, and accessors have left nothing with it.
    #[inline]
    fn is_as_lent(&self) -> bool {
        let lent = matches!(self.source, Source::Lent(..));
        lent && self.copies.get().is_none() && self.fault.get().is_none()
    }

    /// An accessor failed. The first fault is the one told.
    pub(super) fn fail(&self, text: String) {
        let _ = self.fault.set(text);
    }
}

/// Lend worlds to `call`. Its answer is worth nothing if an accessor failed meanwhile: then this says
/// what the accessor said.
pub(super) fn lend<T, const N: usize>(
    views: [&View<'_>; N],
    extra: &Extra,
    call: impl FnOnce([*const CmcWorld; N]) -> T,
) -> Result<T, String> {
    let mut worlds = views.map(|view| World::new(Source::Lent(view, extra)));
    let answer = call(array::from_fn(|index| worlds[index].pointer()));
    if worlds.iter().all(World::is_as_lent) {
        forget(worlds); // Nothing to drop, and it takes longer to find that out.
        return Ok(answer);
    }
    leave(&mut worlds).map_or(Ok(answer), Err)
}

/// Leave the copies of worlds to those that come; answers what the first accessor that failed said.
#[cold]
fn leave(worlds: &mut [World<'_>]) -> Option<String> {
    let mut fault = None;
    for world in worlds {
        if let Some(copies) = world.copies.take() {
            copies.into_inner().unwrap_or_else(PoisonError::into_inner).leave();
        }
        fault = fault.or(world.fault.take());
    }
    fault
}
