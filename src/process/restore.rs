//! The restore back end: runs one step of one node from one of its local states, in a process that is
//! put into the memory that was saved there. Where that cannot be, the node is led there by history,
//! from the nearest local state on the way whose memory a process can be put into.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::history::{History, Seen};
use super::images::Images;
use super::node::Node;
use super::page_list::PageTable;
use super::registers::Registers;
use super::rest::{Taken, Whole};
use super::saved::{Saved, unfit};
use super::sizes::Sizes;
use super::snapshot::Snapshot;
use super::state::StateId;
use super::step::{Answers, Cause, Event};
use super::table::Leaf;
use super::zygotes::{Executed, Parked, Zygotes, check, walk};
use super::{Processes, disagreement};
use crate::error::Error;
use crate::system::Stop;

/// How a node is put into one of its local states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// By starting it and repeating its history.
    History,
    /// By writing the memory that was saved there into a process; that this cannot be is an error.
    Restore,
    /// By restoring where that can be, else by history.
    #[default]
    Auto,
}

/// What all workers share of the restore back end.
#[derive(Debug)]
pub struct Restores {
    /// How nodes are put into local states.
    pub backend: Backend,
    /// The saved memories.
    pub images: Images,
    /// What is measured, if anything is.
    pub sizes: Option<Sizes>,
    done: AtomicU64,
    /// Microseconds of the steps whose process was restored.
    pub(super) micros: AtomicU64,
    fallbacks: AtomicU64,
    compared: AtomicU64,
    /// Processes that did not become what they were to become.
    spoilt: AtomicU64,
    /// By node, why it is not restored, or not from some state on.
    unfit: Mutex<BTreeMap<usize, String>>,
}

/// What the restore back end did, for the receipts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Steps whose process was put into the local state that they start in.
    pub restored: u64,
    /// Microseconds that they took, with all that is done with a step.
    pub micros: u64,
    /// Runs of a step by both back ends that agreed.
    pub compared: u64,
    /// Steps that were led to their local state by history, because no process could be put into it.
    pub fallbacks: u64,
    /// Processes that were given up in trying.
    pub spoilt: u64,
    /// Memories that are kept.
    pub saved: u64,
    /// Bytes that they take.
    pub bytes: u64,
    /// By node, why history was needed.
    pub unfit: BTreeMap<usize, String>,
}

impl Restores {
    /// Nothing saved yet, of so many nodes, and room for `budget` bytes.
    pub fn new(nodes: usize, backend: Backend, budget: u64) -> Self {
        Restores {
            backend,
            images: Images::new(nodes, budget),
            sizes: None,
            done: AtomicU64::new(0),
            micros: AtomicU64::new(0),
            fallbacks: AtomicU64::new(0),
            compared: AtomicU64::new(0),
            spoilt: AtomicU64::new(0),
            unfit: Mutex::default(),
        }
    }

    /// What was done so far.
    pub fn counts(&self) -> Restored {
        let unfit = self.unfit.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Restored {
            restored: self.done.load(Ordering::Relaxed),
            micros: self.micros.load(Ordering::Relaxed),
            compared: self.compared.load(Ordering::Relaxed),
            fallbacks: self.fallbacks.load(Ordering::Relaxed),
            spoilt: self.spoilt.load(Ordering::Relaxed),
            saved: self.images.count(),
            bytes: self.images.bytes(),
            unfit,
        }
    }

    /// Keep the memory that `history` leads to, if it was saved.
    pub fn keep(&self, history: &History, saved: Option<Arc<Saved>>) {
        if let Some(saved) = saved {
            self.images.keep(&history.image, saved);
        }
    }

    /// An error unless `restored` and `replayed` are the same execution of `leaf`.
    pub fn compare(
        &self,
        leaf: &Leaf,
        restored: &Executed,
        replayed: &Executed,
    ) -> Result<(), Stop> {
        let events = |executed: &Executed| -> Vec<Event> { executed.done.events.clone() };
        let (one, other) = (&restored.done, &replayed.done);
        let what = if one.asked != other.asked {
            "it asks for other things"
        } else if events(restored) != events(replayed) {
            "it does other things"
        } else if one.ending != other.ending {
            "it ends otherwise"
        } else if restored.memory != replayed.memory {
            "the memories that it ends in differ"
        } else {
            self.compared.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        Err(differs(leaf.node, &leaf.cause, what))
    }

    /// An error unless the last step of `history`, which was seen, did `events`.
    pub fn compare_events(
        &self,
        number: usize,
        history: &History,
        events: &[Event],
    ) -> Result<(), Stop> {
        match history.seen {
            Some(seen) if seen.events != Seen::digest(events) => {
                Err(parted(number, history, seen, "it does other things"))
            }
            _ => Ok(()),
        }
    }

    /// An error unless the last step of `history`, which was seen, ended in `memory`.
    pub fn compare_memory(
        &self,
        number: usize,
        history: &History,
        memory: Option<u128>,
    ) -> Result<(), Stop> {
        let Some(seen) = history.seen else { return Ok(()) };
        if memory != Some(seen.memory) {
            return Err(parted(number, history, seen, "the memories that it ends in differ"));
        }
        self.compared.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Note why node `number` needs history; an error if only restoring will do.
    fn unfit(&self, number: usize, why: &str) -> Result<(), Stop> {
        if self.backend == Backend::Restore {
            return Err(Error::Node {
                node: number,
                text: format!("cannot be restored: {why}; use --backend=auto"),
            }
            .into());
        }
        let mut unfit = self.unfit.lock().unwrap_or_else(PoisonError::into_inner);
        unfit.entry(number).or_insert_with(|| why.to_owned());
        Ok(())
    }
}

/// The last step of `history` was not as it was `seen`.
fn parted(number: usize, history: &History, seen: Seen, what: &str) -> Stop {
    if seen.restored {
        return differs(number, &history.cause, what);
    }
    Error::Divergence(format!(
        "node {number}: the same history of {} steps was repeated, and at its end ({}) {what}; something \
         that the program reads differs from run to run (see CAVEATS in cmc(7))",
        history.steps().len(),
        disagreement::cause(&history.cause)
    ))
    .into()
}

fn differs(number: usize, cause: &Cause, what: &str) -> Stop {
    Error::Divergence(format!(
        "node {number}: one step ({}) was run from one local state twice, in a process put into the \
         memory saved there and in one led there by its history, and {what}: the kernel keeps something \
         for the program that is not restored; use --backend=history",
        disagreement::cause(cause)
    ))
    .into()
}

impl Processes {
    /// The pages of node `number` at its hello.
    pub(super) fn start_pages(&self, number: usize) -> Result<Arc<PageTable>, Error> {
        self.restores.images.start(number, self.boot(number)?)
    }
}

impl Zygotes {
    /// Whether memories of node `number` are saved by `backend`.
    pub(super) fn saves(
        &mut self,
        processes: &Processes,
        backend: Backend,
        number: usize,
    ) -> Result<bool, Stop> {
        if backend == Backend::History {
            return Ok(false);
        }
        let why = match self.parked(processes, number)? {
            Parked::Asks => "it asks for an answer before its own code runs",
            Parked::Zygote(zygote) => match zygote.layout()?.is_shared() {
                true => "its copies share memory that they may write",
                false => return Ok(true),
            },
        };
        processes.restores.unfit(number, why)?;
        Ok(false)
    }

    /// A node in the local state `before`, to which `history` has led, the memory that it holds, and
    /// whether it was put into that or another on the way.
    pub(super) fn restore(
        &mut self,
        processes: &Processes,
        number: usize,
        history: &History,
        before: StateId,
    ) -> Result<(Node, Option<Arc<Saved>>, bool), Stop> {
        let restores = &processes.restores;
        if let Some(saved) = history.image.get()
            && let Some(node) = self.put(processes, number, &saved)?
        {
            restores.done.fetch_add(1, Ordering::Relaxed);
            return Ok((node, Some(saved), true));
        }
        restores.fallbacks.fetch_add(1, Ordering::Relaxed);
        let steps = history.steps();
        let mut reached = None;
        for place in (1..steps.len()).rev() {
            if let Some(saved) = steps[place - 1].image.get()
                && let Some(node) = self.put(processes, number, &saved)?
            {
                reached = Some(walk(processes, node, &steps[place..], false)?);
                break;
            }
        }
        let restored = reached.is_some();
        let reached = match reached {
            Some(reached) => reached,
            None => self.reach(processes, number, history, false)?,
        };
        let (node, taken) = check(processes, history, before, reached, true)?;
        let saved = save(processes, &node, taken.whole.as_ref(), None)?;
        restores.keep(history, saved.clone());
        Ok((node, saved, restored))
    }

    /// A node that waits as `target` does; `None` if there is no process that can be made to.
    fn put(
        &mut self,
        processes: &Processes,
        number: usize,
        target: &Saved,
    ) -> Result<Option<Node>, Stop> {
        let (spoilt, inside) = (&processes.restores.spoilt, self.inside());
        if let Some(mut node) = self.pool(number).put(target, spoilt)? {
            node.answer_inside(inside);
            return Ok(Some(node));
        }
        if self.shape(processes, number)? != Some(target.shape()) {
            return Ok(None);
        }
        let mut node = self.start(processes, number, Answers::default())?;
        let Some(fresh) = save_fresh(processes, &mut node)? else { return Ok(None) };
        let pool = self.pool(number);
        pool.join(node, Arc::new(fresh));
        pool.put(target, spoilt)
    }

    /// The shape of a node `number` at its hello.
    fn shape(&mut self, processes: &Processes, number: usize) -> Result<Option<u128>, Stop> {
        let Parked::Zygote(zygote) = self.parked(processes, number)? else { return Ok(None) };
        Ok(Some(zygote.shape()?))
    }

    pub(super) fn pool(&mut self, number: usize) -> &mut super::host::Pool {
        if self.pools.len() <= number {
            self.pools.resize_with(number + 1, Default::default);
        }
        &mut self.pools[number]
    }

    /// Save `node`, which waits and was read as `taken`, and let it be a host; the memory, if it can be
    /// saved.
    pub(super) fn save(
        &mut self,
        processes: &Processes,
        node: Node,
        taken: &Taken,
        near: Option<&Saved>,
    ) -> Result<Option<Arc<Saved>>, Stop> {
        let saved = save(processes, &node, taken.whole.as_ref(), near)?;
        if let Some(saved) = &saved {
            self.pool(node.number()).join(node, Arc::clone(saved));
        }
        Ok(saved)
    }
}

fn save(
    processes: &Processes,
    node: &Node,
    whole: Option<&Whole>,
    near: Option<&Saved>,
) -> Result<Option<Arc<Saved>>, Stop> {
    let whole = whole.ok_or_else(|| Error::Internal("a memory was not read".into()))?;
    let number = node.number();
    let start = processes.start_pages(number)?;
    let saved = Saved::of(node, &whole.snapshot, whole.twin.as_ref(), start.start(), near)?;
    if let (Some(sizes), Some(near), Some(saved)) = (&processes.restores.sizes, near, &saved) {
        sizes.note(number, near, saved, &whole.snapshot);
    }
    if saved.is_none()
        && let Some(call) = unfit(node, &whole.snapshot.layout)
    {
        processes
            .restores
            .unfit(number, &format!("its call {call} changes what the kernel keeps"))?;
    }
    Ok(saved.map(Arc::new))
}

/// Save `node`, which stands at its hello.
fn save_fresh(processes: &Processes, node: &mut Node) -> Result<Option<Saved>, Stop> {
    let number = node.number();
    let start = processes.start_pages(number)?;
    let snapshot = node.snapshot(Registers::default())?;
    let twin = node.twin.as_deref_mut();
    let twin: Option<Snapshot> =
        twin.map(|twin| twin.snapshot(Registers::default())).transpose()?;
    Ok(Saved::of(node, &snapshot, twin.as_ref(), start.start(), None)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_differs_from_what_was_seen_of_it_is_found() {
        let restores = Restores::new(1, Backend::Auto, 0);
        let did = [Event::Took];
        let mut history = History::new(None, Cause::Boot(None), Answers::default());
        assert!(restores.compare_memory(0, &history, None).is_ok(), "it was not seen");
        let seen = Seen { events: Seen::digest(&did), memory: 7, restored: true };
        history.seen = Some(seen);
        assert!(restores.compare_events(0, &history, &did).is_ok());
        assert!(restores.compare_events(0, &history, &[]).is_err());
        assert!(restores.compare_memory(0, &history, Some(7)).is_ok());
        assert!(restores.compare_memory(0, &history, Some(8)).is_err());
        assert!(restores.compare_memory(0, &history, None).is_err());
        assert_eq!(restores.counts().compared, 1);
        let told = |history: &History| match restores.compare_memory(0, history, Some(8)) {
            Err(Stop::Error(error)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(told(&history).contains("that is not restored"));
        // What was never restored has another cause.
        history.seen = Some(Seen { restored: false, ..seen });
        assert!(told(&history).contains("differs from run to run"));
    }
}
