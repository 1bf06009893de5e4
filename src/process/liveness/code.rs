//! The code of one file, analysed function by function when one of its places is asked for, and kept.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

use xxhash_rust::xxh3::xxh3_128;

use super::file::File;
use super::flow::{points, unknown};
use super::graph::Graph;
use super::point::Point;
use super::slots::Object;

/// Finds the objects in the frame of the function at these linked addresses, where they are known.
pub type FindObjects = dyn Fn(Range<u64>) -> Option<Vec<Object>> + Send + Sync;

/// The code of one file.
pub struct Code {
    file: File,
    objects: Option<Box<FindObjects>>,
    points: RwLock<HashMap<u64, Option<Arc<Point>>>>,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Code {
    /// The code of the ELF file with these bytes; `None` if it has no frame table. `objects` tells
    /// the objects of frames; without it, frames with escaping addresses are taken to be read.
    pub fn new(bytes: Vec<u8>, objects: Option<Box<FindObjects>>) -> Option<Self> {
        Some(Code { file: File::new(bytes)?, objects, points: RwLock::default() })
    }

    /// The same once for all who need it at a time. `objects` finds what tells the objects, and must
    /// do so for all of them alike.
    pub fn shared(
        bytes: Vec<u8>,
        objects: impl FnOnce(&[u8]) -> Option<Box<FindObjects>>,
    ) -> Option<Arc<Self>> {
        static KNOWN: OnceLock<Mutex<HashMap<u128, Weak<Code>>>> = OnceLock::new();
        let hash = xxh3_128(&bytes);
        let mut known =
            KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = known.get(&hash).and_then(Weak::upgrade) {
            return Some(code);
        }
        let objects = objects(&bytes);
        let code = Arc::new(Code::new(bytes, objects)?);
        known.retain(|_, code| code.strong_count() > 0);
        known.insert(hash, Arc::downgrade(&code));
        Some(code)
    }

    /// The place at a linked address, where the program goes on behind a call or a system call.
    /// `None` if no function is known there.
    pub fn at(&self, address: u64) -> Option<Arc<Point>> {
        let known = self.points.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(point) = known.get(&address) {
            return point.clone();
        }
        drop(known);
        let found = self.analyse(address);
        let mut known = self.points.write().unwrap_or_else(PoisonError::into_inner);
        for (address, point) in found {
            known.entry(address).or_insert_with(|| Some(Arc::new(point)));
        }
        known.entry(address).or_insert_with(|| self.unanalysed(address).map(Arc::new)).clone()
    }

    /// The places of the function that goes on at `address`.
    fn analyse(&self, address: u64) -> HashMap<u64, Point> {
        let call = address.wrapping_sub(1);
        let Some(entry) = self.file.table().entry(call) else { return HashMap::new() };
        let graph = Graph::new(&self.file, entry);
        let objects = self.objects.as_ref().and_then(|find| find(entry.range.clone()));
        let mut found = points(&graph, objects.as_deref());
        // Places in its other parts are found from there, with all that jumps to them.
        found.retain(|&end, _| entry.range.contains(&(end - 1)));
        found
    }

    /// A place that is behind no call, or in code that does not decode.
    fn unanalysed(&self, address: u64) -> Option<Point> {
        let table = self.file.table();
        let rows = table.rows(table.entry(address)?)?;
        let row = rows.iter().find(|row| row.range.contains(&address))?;
        Some(unknown(Some(row)))
    }
}
