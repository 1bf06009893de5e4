//! Local states: one identity of a node each, found by digest. Worlds hold the digests; what they
//! stand for is kept here, once, and never forgotten while the check runs. Numbers of states are for
//! this run only and never in a world.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

use xxhash_rust::xxh3::Xxh3;

use super::step::Wait;
use crate::error::Error;

/// All that the future of a waiting node depends on, as its state kind sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalState {
    /// What the state kind says.
    pub content: Vec<u8>,
    /// What it waits in.
    pub wait: Wait,
    /// The call in full: number, address, arguments, then the return addresses of its callers.
    pub call: Vec<u64>,
    /// What the kernel would keep for it, as canonical bytes.
    pub kept: Vec<u8>,
    /// Whether its memory has its raw form as content because it holds an address that could not be
    /// renamed.
    pub raw: bool,
}

/// The number of a local state in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

impl StateId {
    /// The number.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A local state as a world refers to it, with what decides about actions at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resting {
    /// Which state.
    pub id: StateId,
    /// What it waits in.
    pub wait: Wait,
    /// The digest by which worlds know it.
    pub digest: u128,
}

/// Every local state met so far.
#[derive(Debug)]
pub struct States {
    numbers: RwLock<HashMap<u128, StateId, Digests>>,
    list: boxcar::Vec<(u128, LocalState)>,
    /// By the low bits of a digest, one more than the number of a state that was found there last: a
    /// guess, checked against the list, that saves the lock.
    recent: Box<[AtomicU32]>,
}

/// Guesses kept; a power of two.
const RECENT: usize = 1 << 14;

impl Default for States {
    fn default() -> Self {
        States {
            numbers: RwLock::default(),
            list: boxcar::Vec::new(),
            recent: (0..RECENT).map(|_| AtomicU32::new(0)).collect(),
        }
    }
}

impl LocalState {
    /// The digest by which worlds know it.
    pub fn digest(&self) -> u128 {
        let mut hash = Xxh3::new();
        let mut head = Vec::with_capacity(64);
        head.push(self.raw.into());
        self.wait.encode(&mut head);
        for part in [&head, &self.content, &self.kept] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        self.call.iter().for_each(|word| hash.update(&word.to_le_bytes()));
        hash.digest128()
    }
}

impl States {
    /// The number of `state`, new or known.
    pub fn intern(&self, state: LocalState) -> Result<Resting, Error> {
        let digest = state.digest();
        let wait = state.wait;
        let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = numbers.get(&digest) {
            return match *self.get(id) == state {
                true => Ok(Resting { id, wait, digest }),
                false => Err(Error::Internal(format!(
                    "two local states have the digest {digest:032x}; this should not happen in the \
                     life of the universe"
                ))),
            };
        }
        let number = self.list.push((digest, state));
        let id = u32::try_from(number).map(StateId);
        let id = id.map_err(|_| Error::Internal("more than 2^32 local states".into()))?;
        numbers.insert(digest, id);
        Ok(Resting { id, wait, digest })
    }

    /// The state with this digest, as a world holds it.
    pub fn find(&self, digest: u128) -> Result<Resting, Error> {
        let recent = &self.recent[digest as usize % RECENT];
        let guess = recent.load(Ordering::Relaxed);
        if let Some(number) = guess.checked_sub(1)
            && let Some((known, state)) = self.list.get(number as usize)
            && *known == digest
        {
            return Ok(Resting { id: StateId(number), wait: state.wait, digest });
        }
        let numbers = self.numbers.read().unwrap_or_else(PoisonError::into_inner);
        let id = numbers.get(&digest).copied();
        let id =
            id.ok_or_else(|| Error::Internal("a world holds an unknown local state".into()))?;
        recent.store(id.0 + 1, Ordering::Relaxed);
        Ok(Resting { id, wait: self.get(id).wait, digest })
    }

    /// The state with this number.
    pub fn get(&self, id: StateId) -> &LocalState {
        &self.list[id.0 as usize].1
    }

    /// How many of them have their raw form because their memory could not be renamed.
    pub fn raw(&self) -> u64 {
        self.list.iter().filter(|(_, (_, state))| state.raw).count() as u64
    }

    /// Its digest.
    pub fn digest(&self, id: StateId) -> u128 {
        self.list[id.0 as usize].0
    }
}

/// The keys are digests already, so that their lower half is as good a hash as any.
pub type Digests = std::hash::BuildHasherDefault<DigestHasher>;

/// Takes the lower half of a digest.
#[derive(Clone, Copy, Debug, Default)]
pub struct DigestHasher(u64);

impl std::hash::Hasher for DigestHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u128(&mut self, value: u128) {
        self.0 ^= value as u64;
    }
}
