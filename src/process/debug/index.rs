//! What a file defines, by name and by address: one pass over all entries.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use gimli::constants as dw;
use gimli::{DwTag, Reader as _, UnitOffset};

use super::location::{Spot, Where};
use super::place::Keyword;
use super::units::{At, Entry, Unit, Units};

/// A variable that has one address for the whole run.
#[derive(Clone, Debug)]
pub(super) struct Static {
    pub name: String,
    /// The function that declares it, if one does.
    pub function: Option<String>,
    /// The source file, as the compiler was told.
    pub file: String,
    pub address: u64,
    pub at: At,
}

/// What the entries define.
#[derive(Default)]
pub(super) struct Index {
    /// By address.
    pub statics: Vec<Static>,
    /// The names of thread-local variables.
    pub thread_locals: BTreeSet<String>,
    /// Code by its start.
    pub code: Vec<(Range<u64>, At)>,
    /// By name, every entry of a function.
    pub functions: HashMap<String, Vec<At>>,
    /// Complete structures, unions and enumerations by their tag.
    pub definitions: HashMap<(Keyword, String), Vec<At>>,
    /// Whether any type is described.
    pub has_types: bool,
    /// Type names.
    pub typedefs: HashMap<String, Vec<At>>,
}

impl Index {
    /// The index of all `units`.
    pub fn of(units: &Units) -> Self {
        let mut index = Index::default();
        for number in 0..units.count() {
            if let Some(unit) = units.unit(number) {
                index.add(units, number, unit);
            }
        }
        let key = |variable: &Static| (variable.address, variable.name.clone());
        index.statics.sort_by_key(key);
        index.statics.dedup_by_key(|variable| key(variable));
        index.code.sort_by_key(|(range, at)| (range.start, range.end, *at));
        index.code.dedup();
        index
    }

    /// The functions whose code holds `pc`.
    pub fn functions_at(&self, pc: u64) -> Vec<At> {
        let end = self.code.partition_point(|(range, _)| range.start <= pc);
        // Code of one function seldom lies in another's: looking back a little finds both.
        const LOOK_BACK: usize = 8;
        let near = &self.code[end.saturating_sub(LOOK_BACK)..end];
        let holds = near.iter().rev().filter(|(range, _)| range.contains(&pc));
        holds.map(|(_, at)| *at).collect()
    }

    fn add(&mut self, units: &Units, number: usize, unit: &Unit) {
        let file = unit.name.as_ref().and_then(|name| name.to_string_lossy().ok());
        let file = file.map_or_else(String::new, |name| name.into_owned());
        let mut functions: Vec<(isize, Option<String>)> = Vec::new();
        let mut entries = unit.entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            let (at, depth) = (At { unit: number, offset: entry.offset().0 }, entry.depth());
            while functions.last().is_some_and(|(outer, _)| *outer >= depth) {
                functions.pop();
            }
            match entry.tag() {
                dw::DW_TAG_subprogram => {
                    let name = units.name(at);
                    if let Some(name) = &name {
                        self.functions.entry(name.clone()).or_default().push(at);
                    }
                    for range in units.ranges(unit, entry).unwrap_or_default() {
                        self.code.push((range, at));
                    }
                    functions.push((depth, name));
                }
                dw::DW_TAG_inlined_subroutine => functions.push((depth, units.name(at))),
                dw::DW_TAG_variable => {
                    let function = functions.last().and_then(|(_, name)| name.clone());
                    self.add_variable(units, unit, entry, at, function, &file);
                }
                tag => self.add_definition(units, entry, tag, at),
            }
        }
    }

    fn add_variable(
        &mut self,
        units: &Units,
        unit: &Unit,
        entry: &Entry,
        at: At,
        function: Option<String>,
        file: &str,
    ) {
        let Where::Always(place) = Where::of(units, unit, entry) else { return };
        match place {
            // What the linker threw away is at 0.
            Spot::Static(address) if address != 0 => {
                let Some(name) = units.name(at) else { return };
                self.statics.push(Static { name, function, file: file.to_owned(), address, at });
            }
            Spot::ThreadLocal => self.thread_locals.extend(units.name(at)),
            _ => {}
        }
    }

    fn add_definition(&mut self, units: &Units, entry: &Entry, tag: DwTag, at: At) {
        self.has_types |= tag == dw::DW_TAG_base_type;
        let keyword = Keyword::of(tag);
        let defines = keyword.is_some() || tag == dw::DW_TAG_typedef;
        if !defines || entry.attr_value(dw::DW_AT_declaration).is_some() {
            return;
        }
        let name = entry.attr_value(dw::DW_AT_name).and_then(|name| units.text(at.unit, name));
        match (keyword, name) {
            (Some(keyword), Some(name)) => {
                self.definitions.entry((keyword, name)).or_default().push(at);
            }
            (None, Some(name)) => self.typedefs.entry(name).or_default().push(at),
            (_, None) => {}
        }
    }
}

/// The entries below the one at `at`, with their depth below it, parents first. `visit` says whether
/// to go on below an entry.
pub(super) fn below(units: &Units, at: At, mut visit: impl FnMut(&Unit, &Entry, At) -> bool) {
    let Some(unit) = units.unit(at.unit) else { return };
    let Ok(mut entries) = unit.entries_at_offset(UnitOffset(at.offset)) else { return };
    let Ok(Some(root)) = entries.next_dfs() else { return };
    let start = root.depth();
    let mut skipped = None;
    while let Ok(Some(entry)) = entries.next_dfs() {
        let depth = entry.depth();
        if depth <= start {
            return;
        }
        if skipped.is_some_and(|limit| depth > limit) {
            continue;
        }
        let here = At { unit: at.unit, offset: entry.offset().0 };
        skipped = (!visit(unit, entry, here)).then_some(depth);
    }
}
