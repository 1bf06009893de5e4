//! What the words of a node are called, as its author would say it: variables and their parts, local
//! variables as FUNCTION:VARIABLE, fields of heap objects as `struct NAME.field` where the pointers
//! that lead there have a type, else by the way there. A name stands for all places that are alike: all
//! elements of an array, all objects of a type. What a name says can be written into `ignore`, as long
//! as it is a place there.

mod data;
mod frames;
pub mod names;

use std::collections::HashMap;
use std::sync::Arc;

use self::data::Data;
use self::frames::{Functions, Locals};
use self::names::{NameId, Named, Names, Whole};
use super::arena::{Heap, Hit};
use super::binaries::Binaries;
use super::canonical::Seen;
use super::canonical::place::Place;
use super::debug::{Kind, Type};
use super::ignore::{Waiting, typed_data};
use super::typed::{Fact, Known, TypeId, Typed, Types, Via, starts};

/// Bytes of a word.
const WORD: u64 = 8;

/// Names the words of the nodes of a program.
#[derive(Debug)]
pub struct Namer {
    /// The names that were given.
    pub names: Names,
    binaries: Arc<Binaries>,
    types: Arc<Types>,
    /// Addresses of pointers in data of the program, and what they point at.
    typed: Vec<(u64, TypeId)>,
    data: Data,
    functions: Functions,
}

/// A node whose words are named.
#[derive(Debug)]
pub struct Scene<'n, 'a> {
    namer: &'n mut Namer,
    node: Waiting<'a>,
    heap: &'a Heap,
    locals: Locals,
    /// By the heap's number of an object, what is known of it.
    known: Vec<Known>,
    /// Words outside of the heap that lead to objects.
    roots: Vec<Root>,
    /// The objects in the order in which the form has them.
    seen: Vec<Seen>,
    /// By the heap's number of an object, what it is called.
    objects: HashMap<u32, Object>,
}

/// A word outside of the heap.
#[derive(Clone, Copy, Debug)]
enum Root {
    /// At this address.
    Data(u64),
    /// In a local variable, by bytes from its start.
    Local(usize, u64),
}

/// What an object of the heap is called.
#[derive(Clone, Debug)]
struct Object {
    whole: Whole,
    /// Where what the name means starts.
    start: u64,
    /// How many bytes it takes each time, if it fills the object.
    stride: Option<u64>,
}

impl Namer {
    /// For the program that runs from `binaries`.
    pub fn new(binaries: &Arc<Binaries>) -> Self {
        let types = Arc::new(Types::default());
        Namer {
            names: Names::default(),
            typed: typed_data(binaries, &types),
            types,
            data: Data::new(binaries),
            functions: Functions::default(),
            binaries: Arc::clone(binaries),
        }
    }

    /// Name the words of `node`, whose objects are those of `heap` and were found as `seen` says.
    pub fn scene<'n, 'a>(
        &'n mut self,
        node: Waiting<'a>,
        heap: &'a Heap,
        seen: Vec<Seen>,
    ) -> Scene<'n, 'a> {
        let (types, binaries) = (Arc::clone(&self.types), Arc::clone(&self.binaries));
        let mut typed = Typed::new(heap, node.snapshot.arena(), &types, &[]);
        let mut roots = Vec::new();
        for &(address, of) in &self.typed {
            let word = node.snapshot.word(address).filter(|word| Heap::covers(*word));
            if let Some(word) = word {
                typed.pointer(word, of, Via::Root(roots.len() as u32));
                roots.push(Root::Data(address));
            }
        }
        let (locals, pointers) = Locals::of(&mut self.names, node, &binaries, &types);
        for pointer in pointers.iter().filter(|pointer| Heap::covers(pointer.word)) {
            typed.pointer(pointer.word, pointer.of, Via::Root(roots.len() as u32));
            roots.push(Root::Local(pointer.local, pointer.offset));
        }
        typed.follow();
        let known = typed.into_known();
        Scene { namer: self, node, heap, locals, known, roots, seen, objects: HashMap::new() }
    }
}

impl Scene<'_, '_> {
    /// What byte `byte` of the word at `place` is called, and how many bytes from there on are called
    /// alike.
    pub fn name(&mut self, place: &Place, byte: u64) -> Named {
        let names = &mut self.namer.names;
        match *place {
            Place::Static(address) => self.data(address + byte),
            Place::Stack(address) => self.locals.on_stack(
                names,
                &mut self.namer.functions,
                self.node,
                &self.namer.binaries,
                address + byte,
            ),
            Place::Register(_) => match place.register() {
                Some(register) => self.locals.in_register(names, register, byte),
                None => (names.number("registers"), WORD),
            },
            Place::Vector(at) => {
                // As FXSAVE lays it out.
                let name = match u64::from(at) + byte {
                    0..4 | 24..32 => "floating-point status",
                    _ => "vector registers",
                };
                (names.number(name), 1)
            }
            Place::Held(number) => {
                const ARGUMENTS: u32 = 6;
                let name = match number {
                    0..ARGUMENTS => format!("argument {} of its call", number + 1),
                    _ => "what the kernel keeps".into(),
                };
                (names.number(&name), WORD)
            }
            Place::Heap(number, at) => match self.seen.get(number as usize) {
                Some(seen) => self.object_at(seen.object.start, u64::from(at) + byte),
                None => (names.number("heap"), 1),
            },
            Place::Unreached(start, at) => self.object_at(start, u64::from(at) + byte),
            Place::Arena(_) => (names.number("heap as it lies there"), WORD),
            Place::Mapping(_) => (names.number("mappings"), WORD),
        }
    }

    /// What the bytes that are left out are called.
    pub fn left_out(&mut self) -> NameId {
        self.namer.names.number("what is left out")
    }

    /// What the object as such is called, of which `place` is a byte: how many there are, and how long
    /// they are.
    pub fn length_of(&mut self, place: &Place) -> NameId {
        let start = match *place {
            Place::Heap(number, _) => self.seen.get(number as usize).map(|seen| seen.object.start),
            Place::Unreached(start, _) => Some(start),
            _ => None,
        };
        let whole = start.and_then(|start| self.index(start)).map(|index| self.object(index).whole);
        let names = &mut self.namer.names;
        match whole {
            Some(whole) => {
                let name = format!("{} (number and size)", names.get(whole.name));
                names.number(&name)
            }
            None => self.name(place, 0).0,
        }
    }

    fn data(&mut self, address: u64) -> Named {
        let Waiting { snapshot, registers, .. } = self.node;
        self.namer.data.name(&mut self.namer.names, &snapshot.layout, registers, address)
    }

    fn index(&self, address: u64) -> Option<u32> {
        match self.heap.find(address) {
            Hit::Live { index, .. } => Some(index),
            Hit::Free { .. } | Hit::Elsewhere => None,
        }
    }

    /// What byte `at` of the object at `start` is called.
    fn object_at(&mut self, start: u64, at: u64) -> Named {
        let Some(index) = self.index(start) else {
            return (self.namer.names.number("heap"), 1);
        };
        let Object { whole, start, stride } = self.object(index);
        let inside = match stride {
            Some(stride) => Some(at % stride),
            None => at.checked_sub(start).filter(|inside| *inside < whole.size),
        };
        match inside {
            Some(inside) => self.namer.names.part(&whole, inside),
            None => {
                let name = format!("{} (what is around it)", self.namer.names.get(whole.name));
                (self.namer.names.number(&name), 1)
            }
        }
    }

    /// What the object with the number `index` of the heap is called.
    fn object(&mut self, index: u32) -> Object {
        if let Some(known) = self.objects.get(&index) {
            return known.clone();
        }
        let named = self.by_type(index).unwrap_or_else(|| self.by_way(index));
        self.objects.insert(index, named.clone());
        named
    }

    /// By the type of what leads there: the largest structure with a name.
    fn by_type(&mut self, index: u32) -> Option<Object> {
        let size = u64::from(self.heap.objects()[index as usize].size);
        let facts = self.known[index as usize].facts.iter();
        let structures = facts.filter_map(|fact| {
            let Fact::Of(of, start) = fact else { return None };
            let of = self.namer.types.get(*of);
            let name = tagged(&of)?;
            let room = size.checked_sub(u64::from(*start))?;
            let bytes = of.size().filter(|bytes| *bytes > 0 && *bytes <= room)?;
            Some((bytes, std::cmp::Reverse(*start), name, of))
        });
        let best = structures.max_by_key(|(bytes, start, name, _)| (*bytes, *start, name.clone()));
        let (bytes, start, name, of) = best?;
        let start = u64::from(start.0);
        let stride = (starts(&of, start, size).count() > 1).then_some(bytes);
        let name = self.namer.names.number(&name);
        Some(Object { whole: Whole { name, of: Some(of), size: bytes }, start, stride })
    }

    /// By the word that leads there, of which pointers with a type come first.
    fn by_way(&mut self, index: u32) -> Object {
        let object = self.heap.objects()[index as usize];
        // A name for what is on its own way.
        let lost = self.namer.names.number("heap objects that nothing leads to");
        let whole = |name| Whole { name, of: None, size: object.size.into() };
        let named = |whole| Object { whole, start: 0, stride: None };
        self.objects.insert(index, named(whole(lost)));
        let from = match self.known[index as usize].via {
            Some(Via::Root(root)) => Some(match self.roots[root as usize] {
                Root::Data(address) => self.data(address).0,
                Root::Local(local, offset) => {
                    self.namer.names.part(&self.locals.list[local], offset).0
                }
            }),
            Some(Via::Heap(other, at)) => {
                let start = self.heap.objects()[other as usize].start;
                Some(self.object_at(start, at.into()).0)
            }
            None => {
                let seen = self.seen.iter().find(|seen| seen.object.start == object.start);
                let from = seen.map(|seen| seen.from);
                from.map(|from| self.name(&from, 0).0)
            }
        };
        let Some(from) = from else { return named(whole(lost)) };
        let name = behind(self.namer.names.get(from));
        let name = self.namer.names.number(&name);
        named(whole(name))
    }
}

/// What an object is called to which a word called `from` leads. Ways through objects without a name
/// are not told step by step.
fn behind(from: &str) -> String {
    match from.strip_suffix("->*") {
        Some(way) if way.ends_with("->…") => from.to_owned(),
        Some(way) => format!("{way}->…->*"),
        None => format!("{from}->*"),
    }
}

/// The name of a structure or union, as a place in `ignore` has it.
fn tagged(of: &Type) -> Option<String> {
    let keyword = match of.kind() {
        Kind::Struct => "struct ",
        Kind::Union => "union ",
        _ => return None,
    };
    let name = of.name();
    let name = name.strip_prefix(keyword).unwrap_or(&name);
    (!name.starts_with('(')).then(|| format!("{keyword}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_through_objects_without_a_name_are_short() {
        let mut name = behind("head");
        assert_eq!(name, "head->*");
        for _ in 0..3 {
            name = behind(&name);
            assert_eq!(name, "head->…->*");
        }
        assert_eq!(behind("struct node.text"), "struct node.text->*");
    }
}
