//! What a place that a user wrote is in a program: a start, pointers to follow, and bytes in the object
//! that the last of them points at.

use std::ops::Range;

use super::place::{Keyword, Place, Start, Step};
use super::shape::{Kind, Type};
use super::{DebugInfo, Static};
use crate::spelling::hint;

/// Offsets that one place may stand for.
const MOST: usize = 1 << 20;

/// A place in a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Where it starts.
    pub root: Root,
    /// The pointers on the way, in the object where it starts, then in each that is pointed at.
    pub pointers: Vec<Part>,
    /// The bytes, in the last of these objects.
    pub bytes: Part,
}

/// Where a place starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// A variable at a linked address.
    Static(u64),
    /// A local variable, in every frame of the function and wherever it is inlined: those that
    /// [`DebugInfo::locals`] gives this name and function.
    Local {
        /// The function.
        function: String,
        /// The variable.
        name: String,
    },
    /// Every object on the heap that is known to be of this type.
    Objects(Type),
}

/// Bytes of one object; offsets from its start, or from where the pointer points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of the object, from its start on wherever the pointer points.
    Whole,
    /// These, in order.
    Bytes(Vec<Range<u64>>),
    /// These, and again every `stride` bytes up to the end of the object.
    Repeated {
        /// More than 0.
        stride: u64,
        /// The first time, in order.
        bytes: Vec<Range<u64>>,
    },
}

/// The way so far.
struct Way {
    pointers: Vec<Part>,
    /// Starts of what is named, in the last object.
    offsets: Vec<u64>,
    stride: Option<u64>,
    of: Option<Type>,
    /// The size, if there is no type.
    size: u64,
    is_bits: bool,
}

impl Place {
    /// What this place is in `program`. The message says what is not there, and what is.
    pub fn resolve(&self, program: &DebugInfo) -> Result<Target, String> {
        let wrong = |text: String| format!("\"{self}\": {text}");
        let (root, of, size) = self.start.root(program).map_err(wrong)?;
        let mut way =
            Way { pointers: Vec::new(), offsets: vec![0], stride: None, of, size, is_bits: false };
        for step in &self.steps {
            if *step == Step::Whole {
                way.follow(step).map_err(wrong)?;
                return Ok(Target { root, pointers: way.pointers, bytes: Part::Whole });
            }
            way.step(step).map_err(wrong)?;
        }
        if way.is_bits {
            return Err(wrong(
                "a bit field shares its bytes with others; name the whole structure".into(),
            ));
        }
        way.open_array();
        let size = way.size().map_err(wrong)?;
        let bytes = way.part(size).map_err(wrong)?;
        Ok(Target { root, pointers: way.pointers, bytes })
    }
}

impl Start {
    fn root(&self, program: &DebugInfo) -> Result<(Root, Option<Type>, u64), String> {
        match self {
            Start::Objects { keyword, name } => {
                let of = program.type_named(*keyword, name)?;
                let size = of.size().unwrap_or(0);
                Ok((Root::Objects(of.clone()), Some(of), size))
            }
            Start::Variable { of: None, name } => Ok(of_static(program.global(name)?)),
            Start::Variable { of: Some(of), name } => local(program, of, name),
        }
    }
}

fn of_static(found: Static) -> (Root, Option<Type>, u64) {
    (Root::Static(found.address), found.of, found.size)
}

fn local(program: &DebugInfo, of: &str, name: &str) -> Result<(Root, Option<Type>, u64), String> {
    if let Some(found) = program.static_of(of, name)? {
        return Ok(of_static(found));
    }
    let mut types = program.declared(of, name)?.into_iter();
    let first = types.next().flatten();
    if types.any(|other| other != first) {
        return Err(format!(
            "{of} has several variables \"{name}\" of different types; give the one that you mean its \
             own name"
        ));
    }
    let size = first.as_ref().and_then(Type::size).unwrap_or(0);
    let root = Root::Local { function: of.to_owned(), name: name.to_owned() };
    Ok((root, first, size))
}

impl Way {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        let is_pointer = self.of.as_ref().is_some_and(|of| of.kind() == Kind::Pointer);
        match step {
            Step::Field(name) => self.field(name),
            Step::Arrow(name) => {
                self.follow(step)?;
                self.field(name)
            }
            Step::Index(index) if is_pointer => {
                self.follow(step)?;
                let size = self.size()?;
                let offset = size.checked_mul(*index).ok_or("this index is too large")?;
                self.offsets = vec![offset];
                Ok(())
            }
            Step::Each if is_pointer => {
                self.follow(step)?;
                self.repeat(self.size()?)
            }
            Step::Index(index) => {
                let element = self.of()?.at_index(*index)?;
                self.enter(element.offset, element.of)
            }
            Step::Each => self.each(),
            Step::Whole => self.follow(step),
        }
    }

    fn of(&self) -> Result<&Type, String> {
        self.of.as_ref().ok_or_else(|| {
            "its type is not known; build the program with -g to name parts of it".into()
        })
    }

    /// The size of what is named.
    fn size(&self) -> Result<u64, String> {
        match &self.of {
            Some(of) => match (of.size(), self.pointers.is_empty()) {
                (Some(size), _) if size > 0 => Ok(size),
                // The symbol table knows how long an array is that its type does not.
                (_, true) if self.offsets == [0] && self.size > 0 => Ok(self.size),
                _ => Err(format!("{} has no size in this program", of.name())),
            },
            None if self.size > 0 => Ok(self.size),
            None => Err("it has no size in this program".into()),
        }
    }

    fn field(&mut self, name: &str) -> Result<(), String> {
        let found = self.of()?.field(name)?;
        self.is_bits = found.is_bits;
        self.enter(found.offset, found.of)
    }

    fn enter(&mut self, offset: u64, of: Option<Type>) -> Result<(), String> {
        for start in &mut self.offsets {
            *start = start.checked_add(offset).ok_or("this index is too large")?;
        }
        self.of = of;
        self.size = 0;
        Ok(())
    }

    /// Every element of an array.
    fn each(&mut self) -> Result<(), String> {
        let of = self.of()?;
        let Some(element) = of.element() else {
            return Err(format!("{} is no array", of.name()));
        };
        let stride = element.size().filter(|size| *size > 0);
        let stride = stride.ok_or_else(|| format!("the elements of {} have no size", of.name()))?;
        let known = match of.count() {
            Some(count) if count > 0 => Some(count),
            _ if self.pointers.is_empty() && self.offsets == [0] => {
                Some(self.size / stride).filter(|count| *count > 0)
            }
            _ => None,
        };
        let Some(count) = known else {
            self.repeat(stride)?;
            return self.enter(0, Some(element));
        };
        if count.saturating_mul(self.offsets.len() as u64) > MOST as u64 {
            return Err(format!("it names more than {MOST} places; name the whole array"));
        }
        let starts = self.offsets.iter().flat_map(|start| {
            (0..count).map(move |number| start.checked_add(number.checked_mul(stride)?))
        });
        self.offsets = starts.collect::<Option<_>>().ok_or("a broken array")?;
        self.enter(0, Some(element))
    }

    fn repeat(&mut self, stride: u64) -> Result<(), String> {
        match self.stride.replace(stride) {
            None => Ok(()),
            Some(_) => Err("two arrays of unknown length in one object".into()),
        }
    }

    /// An array of unknown length that is named as a whole.
    fn open_array(&mut self) {
        let Some(of) = self.of.as_ref().filter(|of| of.kind() == Kind::Array) else { return };
        let known = of.size().is_some_and(|size| size > 0);
        if !known && (self.size == 0 || !self.pointers.is_empty()) {
            let _ = self.each();
        }
    }

    /// Go to what the pointer points at.
    fn follow(&mut self, step: &Step) -> Result<(), String> {
        let of = self.of()?;
        if of.kind() != Kind::Pointer {
            let instead = match step {
                Step::Arrow(name) if matches!(of.kind(), Kind::Struct | Kind::Union) => {
                    format!("; write \".{name}\"")
                }
                _ if of.kind() == Kind::Array => "; write \"[N]\" or \"[]\" first".into(),
                _ => String::new(),
            };
            return Err(format!("{} is no pointer{instead}", of.name()));
        }
        let pointee = of.pointee();
        if pointee.is_none() && *step != Step::Whole {
            let whole = "; write \"->*\" for all of the object";
            return Err(format!("{} does not say what it points at{whole}", of.name()));
        }
        let pointer = self.part(8)?;
        self.pointers.push(pointer);
        self.offsets = vec![0];
        self.stride = None;
        self.of = pointee;
        self.size = 0;
        self.is_bits = false;
        Ok(())
    }

    /// The bytes at all offsets; those that touch are one range unless they are pointers.
    fn part(&self, size: u64) -> Result<Part, String> {
        let mut bytes: Vec<Range<u64>> = Vec::with_capacity(self.offsets.len());
        let is_pointer = self.of.as_ref().is_some_and(|of| of.kind() == Kind::Pointer);
        for start in &self.offsets {
            let end = start.checked_add(size).ok_or("this index is too large")?;
            match bytes.last_mut() {
                Some(last) if last.end == *start && !is_pointer => last.end = end,
                _ => bytes.push(*start..end),
            }
        }
        Ok(match self.stride {
            Some(stride) => Part::Repeated { stride, bytes },
            None => Part::Bytes(bytes),
        })
    }
}

/// What type names of `keyword` are called in messages.
pub(super) fn no_such_type(keyword: Keyword, name: &str, names: Vec<String>) -> String {
    format!("\"{keyword} {name}\" is not in the program{}", hint(name, names))
}
