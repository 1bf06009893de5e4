//! What DWARF says about one ELF file: variables by name and by address, their types, and where the
//! variables of a function are in its frame. All addresses are as linked.
//!
//! A file without debug information, or a broken one, answers nothing but what its symbol table says.
//! Nothing here is needed for a right verdict: it names things, and it makes more bytes known to be
//! dead. So every doubt is an answer of less: a block of unknown extent is in scope, a place that is
//! not understood is memory.

mod extents;
mod frame;
mod function;
mod image;
mod index;
mod location;
mod member;
mod mentions;
mod place;
mod resolve;
mod shape;
mod units;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use self::extents::{Dead, Extent};
pub use self::function::Location;
pub use self::member::{Indices, Member};
pub use self::place::{Keyword, Place, Start, Step};
pub use self::resolve::{Part, Root, Target};
pub use self::shape::{Field, Kind, Type};

use self::frame::Frames;
use self::function::Function;
use self::image::Image;
use self::index::{Index, below};
use self::shape::{Shape, TypeAt};
use self::units::{At, Units};
use crate::spelling::hint;

/// The debug information of one file. Clones share it; any thread may ask.
#[derive(Clone)]
pub struct DebugInfo(Arc<Info>);

/// A variable with one address.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Its name.
    pub name: String,
    /// The function that declares it, if one does.
    pub function: Option<String>,
    /// The source file, if it is known.
    pub file: Option<String>,
    /// Where it is.
    pub address: u64,
    /// In bytes; 0 where nothing says so.
    pub size: u64,
    /// Its type, if it is known.
    pub of: Option<Type>,
}

/// A variable or parameter of a function, or of one that is inlined into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The function that declares it.
    pub function: String,
    /// Whether it is a parameter.
    pub parameter: bool,
    /// Its type, if it is known.
    pub of: Option<Type>,
    /// In bytes, if it is known.
    pub size: Option<u64>,
    /// Where it is.
    pub location: Location,
    /// Whether it is there as long as it lives.
    pub fixed: bool,
    /// Whether the code is in the block that declares it.
    pub in_scope: bool,
}

struct Info {
    image: Image,
    units: Units,
    index: OnceLock<Index>,
    frames: OnceLock<Frames>,
    shapes: Mutex<HashMap<TypeAt, Option<Arc<Shape>>>>,
    functions: Mutex<HashMap<At, Option<Arc<Function>>>>,
}

impl DebugInfo {
    /// What the file at `path` says; nothing if it cannot be read.
    pub fn open(path: &Path) -> Self {
        // A device has no end.
        let file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        Self::of(if file { std::fs::read(path).unwrap_or_default() } else { Vec::new() })
    }

    /// What an ELF file of these bytes says.
    pub fn of(bytes: Vec<u8>) -> Self {
        let image = Image::read(bytes);
        DebugInfo(Arc::new(Info {
            units: Units::of(&image),
            image,
            index: OnceLock::new(),
            frames: OnceLock::new(),
            shapes: Mutex::default(),
            functions: Mutex::default(),
        }))
    }

    /// The linked address of the first page that is loaded.
    pub fn start(&self) -> Option<u64> {
        self.0.image.start()
    }

    /// Every variable that has one address.
    pub fn statics(&self) -> Vec<Static> {
        self.0.index().statics.iter().map(|found| self.read_static(found)).collect()
    }

    /// Whether it describes types.
    pub fn has_types(&self) -> bool {
        self.0.index().has_types
    }

    /// The variable `name` of the program, one of a file, or a static one of a function. The message
    /// says that there is none, or which there are.
    pub fn global(&self, name: &str) -> Result<Static, String> {
        let index = self.0.index();
        let named: Vec<_> = index.statics.iter().filter(|found| found.name == name).collect();
        match named[..] {
            [one] => Ok(self.read_static(one)),
            [] => self.symbol(name),
            _ => Err(several(name, &named)),
        }
    }

    /// The variable that holds a linked address, and how far into it that is.
    pub fn global_at(&self, address: u64) -> Option<(Static, u64)> {
        let statics = &self.0.index().statics;
        let end = statics.partition_point(|found| found.address <= address);
        let known = end.checked_sub(1).map(|last| self.read_static(&statics[last]));
        let offset = |found: &Static| address - found.address;
        if let Some(found) = known.filter(|found| offset(found) < found.size) {
            let offset = offset(&found);
            return Some((found, offset));
        }
        let symbol = self.0.image.object_at(address)?;
        Some((of_symbol(symbol), address - symbol.address))
    }

    /// The function whose code holds `pc`, by DWARF or by the symbol table. For a return address this
    /// is the address before it.
    pub fn function_at(&self, pc: u64) -> Option<String> {
        let first = self.0.index().functions_at(pc).first().copied();
        let named = first.and_then(|at| self.0.units.name(at));
        named.or_else(|| self.0.image.function_at(pc).map(|symbol| symbol.name.clone()))
    }

    /// Every variable and parameter of the function that is returned to at `return_address`, and of all
    /// that is inlined into it, as it is during the call.
    pub fn locals(&self, return_address: u64) -> Vec<Local> {
        let pc = return_address.wrapping_sub(1);
        let Some(function) = self.0.function(pc) else { return Vec::new() };
        let local = |variable: &function::Variable| {
            let of = Type::of(&self.0, variable.of);
            let spot = variable.place.at(pc);
            Local {
                name: variable.name.clone(),
                function: function.scopes[variable.scope].function.clone(),
                parameter: variable.parameter,
                size: of.as_ref().and_then(Type::size),
                of,
                location: spot.map_or(Location::Nowhere, |spot| function.location(spot, pc)),
                fixed: matches!(variable.place, location::Where::Always(_)),
                in_scope: function.covers(variable.scope, pc),
            }
        };
        function.variables.iter().map(local).collect()
    }

    /// Bytes of the frame that is returned to at `return_address` that belong to arrays and structures
    /// out of scope, to no variable in scope, and to no object without a name. None where something is
    /// not known. The caller has to check that nothing live points into them.
    pub fn dead_ranges(&self, return_address: u64) -> Vec<Dead> {
        let pc = return_address.wrapping_sub(1);
        self.0.function(pc).map_or_else(Vec::new, |function| extents::dead(&self.0, &function, pc))
    }

    /// The variables in the frame of the function whose code holds `pc`, by place. An address that is
    /// taken in the frame reaches as far as the [`Extent::slot`]s that hold it; where none does, it is
    /// of an object without a name, of which nothing is known. `None` if the function is not described, if one of its variables is in memory that is not known,
    /// and if it moves the stack pointer by amounts that are not fixed.
    pub fn extents(&self, pc: u64) -> Option<Vec<Extent>> {
        extents::extents(&self.0, &*self.0.function(pc)?)
    }

    /// The addresses of the code of the function that holds `pc`.
    pub fn code_of(&self, pc: u64) -> Option<Vec<Range<u64>>> {
        Some(self.0.function(pc)?.code.clone())
    }

    /// A type by its tag, or by the name that one without a tag is given.
    pub fn type_named(&self, keyword: Keyword, name: &str) -> Result<Type, String> {
        let index = self.0.index();
        let tagged = index.definitions.get(&(keyword, name.to_owned()));
        let found = match tagged {
            Some(tagged) => shape::one_of(&self.0.units, tagged)
                .ok_or_else(|| format!("\"{keyword} {name}\" is defined in several ways"))?,
            None => match index.typedefs.get(name) {
                Some(named) => named[0],
                None => {
                    let tags = index.definitions.keys().filter(|(of, _)| *of == keyword);
                    let names = tags.map(|(_, name)| name).chain(index.typedefs.keys());
                    return Err(resolve::no_such_type(keyword, name, names.cloned().collect()));
                }
            },
        };
        let of = Type::of(&self.0, Some(TypeAt { at: found, dimension: 0 }));
        of.ok_or_else(|| format!("\"{keyword} {name}\" cannot be read"))
    }

    /// The static variable `name` of the function or source file `of`, if there is one.
    fn static_of(&self, of: &str, name: &str) -> Result<Option<Static>, String> {
        let statics = self.0.index().statics.iter().filter(|found| found.name == name);
        let belongs = |found: &&&index::Static| match &found.function {
            Some(function) => function == of,
            None => found.file == of || found.file.ends_with(&format!("/{of}")),
        };
        let statics: Vec<_> = statics.collect();
        let named: Vec<_> = statics.iter().filter(belongs).copied().collect();
        match named[..] {
            [] => Ok(None),
            [one] => Ok(Some(self.read_static(one))),
            _ => Err(several(name, &named)),
        }
    }

    /// The types of all variables `name` of function `of`.
    fn declared(&self, of: &str, name: &str) -> Result<Vec<Option<Type>>, String> {
        let index = self.0.index();
        let Some(entries) = index.functions.get(of) else {
            return Err(match self.has_types() {
                true => {
                    format!(
                        "function \"{of}\" is not in the program{}",
                        hint(of, index.functions.keys())
                    )
                }
                false => {
                    "the program has no debug information, so that locals have no names; build \
                          it with -g"
                        .into()
                }
            });
        };
        let (mut types, mut others) = (Vec::new(), Vec::new());
        for at in entries {
            self.0.each_variable(*at, |own, of| match own == name {
                true => types.push(Type::of(&self.0, of)),
                false => others.push(own),
            });
        }
        match types.is_empty() {
            true => Err(format!("{of} has no variable \"{name}\"{}", hint(name, others))),
            false => Ok(types),
        }
    }

    fn symbol(&self, name: &str) -> Result<Static, String> {
        let (index, image) = (self.0.index(), &self.0.image);
        if index.thread_locals.contains(name) {
            return Err(format!("\"{name}\" is thread-local, so that it has no one address"));
        }
        let mut named = image.objects.iter().filter(|symbol| symbol.name == name);
        match (named.next(), named.next()) {
            (Some(one), None) => Ok(of_symbol(one)),
            (Some(_), Some(_)) => Err(format!(
                "several objects are called \"{name}\"; build the program with -g to tell them apart"
            )),
            (None, _) => {
                let known = index.statics.iter().map(|found| &found.name);
                let names = known.chain(image.objects.iter().map(|symbol| &symbol.name));
                Err(format!(
                    "variable \"{name}\" is not in the program{}",
                    match hint(name, names) {
                        none if none.is_empty() => {
                            "; write FUNCTION:VARIABLE for one of a function".into()
                        }
                        near => near,
                    }
                ))
            }
        }
    }

    fn read_static(&self, found: &index::Static) -> Static {
        let of = Type::of(&self.0, self.0.type_of(found.at));
        // A structure that ends in an array is as long as its initialiser.
        let symbol = self.0.image.object_from(found.address).map_or(0, |symbol| symbol.size);
        let size = of.as_ref().and_then(Type::size).unwrap_or(0).max(symbol);
        Static {
            name: found.name.clone(),
            function: found.function.clone(),
            file: Some(found.file.clone()),
            address: found.address,
            size,
            of,
        }
    }
}

fn of_symbol(symbol: &image::Symbol) -> Static {
    Static {
        name: symbol.name.clone(),
        function: None,
        file: None,
        address: symbol.address,
        size: symbol.size,
        of: None,
    }
}

fn several(name: &str, named: &[&index::Static]) -> String {
    let owner = |found: &&index::Static| match &found.function {
        Some(function) => format!("\"{function}:{name}\""),
        None => format!("\"{}:{name}\"", found.file.rsplit('/').next().unwrap_or_default()),
    };
    let owners: Vec<String> = named.iter().map(owner).collect();
    format!("several variables are called \"{name}\"; write one of {}", owners.join(", "))
}

impl std::fmt::Debug for DebugInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DebugInfo")
    }
}

impl Info {
    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.units))
    }

    fn frames(&self) -> &Frames {
        self.frames.get_or_init(|| Frames::of(&self.image))
    }

    fn type_of(&self, at: At) -> Option<TypeAt> {
        Some(TypeAt { at: self.units.type_of(at)?, dimension: 0 })
    }

    fn shape(&self, at: TypeAt) -> Option<Arc<Shape>> {
        let lock = || self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&at) {
            return known.clone();
        }
        let shape = Shape::of(self, at).map(Arc::new);
        lock().entry(at).or_insert(shape).clone()
    }

    /// The function whose code holds `pc`; none if that is the code of several.
    fn function(&self, pc: u64) -> Option<Arc<Function>> {
        let [at] = self.index().functions_at(pc)[..] else { return None };
        let lock = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&at) {
            return known.clone();
        }
        let function = Function::of(self, at).map(Arc::new);
        lock().entry(at).or_insert(function).clone()
    }

    /// The variables and parameters that the function at `at` declares itself.
    fn each_variable(&self, at: At, mut visit: impl FnMut(String, Option<TypeAt>)) {
        use gimli::constants as dw;
        below(&self.units, at, |_, entry, here| match entry.tag() {
            dw::DW_TAG_variable | dw::DW_TAG_formal_parameter => {
                if let Some(name) = self.units.name(here) {
                    visit(name, self.type_of(here));
                }
                false
            }
            tag => tag == dw::DW_TAG_lexical_block,
        });
    }
}
