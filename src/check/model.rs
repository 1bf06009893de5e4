//! What is checked: programs or a core, and the properties that must hold of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::core_model::CoreModel;
use super::file::ModelFile;
use super::latch::Latch;
use crate::error::Error;
use crate::property::{Property, Rule};

/// The names that belong to built-in rules; one that ends in a colon stands for all that start so.
const RESERVED: [&str; 7] = ["signal", "exit", "cap:", "durable", "det", "deadlock", "effect"];

/// What is checked.
pub enum Subject {
    /// Programs, run as processes.
    Programs(Box<ModelFile>),
    /// A core, called in this process.
    Core(Box<CoreModel>),
}

/// What is checked.
pub struct Model {
    /// What it is called in reports, and the stem of its trace file.
    pub name: String,
    /// What is checked.
    pub subject: Subject,
    properties: Vec<Property>,
    /// The C interface hands it out as `CmcModel`: whether it may be used. Whoever was let in holds a
    /// share of it, because only then the model may be changed.
    pub latch: Arc<Latch>,
    /// Whether it belongs to a caller in C, who frees it.
    handed_out: AtomicBool,
    /// What the first call on it that failed said.
    complaint: Mutex<Option<String>>,
}

impl Model {
    /// The programs of the model file at `path`.
    pub fn load(path: &Path) -> Result<Model, Error> {
        let mut file = ModelFile::load(path)?;
        let properties = std::mem::take(&mut file.properties);
        let name = file.name.clone();
        Ok(Model { properties, ..Model::new(name, Subject::Programs(Box::new(file))) })
    }

    /// `subject`, without properties.
    pub fn new(name: String, subject: Subject) -> Model {
        Model {
            name,
            subject,
            properties: Vec::new(),
            latch: Arc::default(),
            handed_out: AtomicBool::new(false),
            complaint: Mutex::default(),
        }
    }

    /// The properties, in the order in which they are evaluated.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Add a property behind the others.
    pub fn add(&mut self, name: &str, rule: Rule) -> Result<(), Error> {
        nameable(name).map_err(|fault| Error::Argument(format!("property {name:?}: {fault}")))?;
        if self.properties.iter().any(|known| known.name == name) {
            let fault = "there is a property of this name; use another";
            return Err(Error::Argument(format!("property {name:?}: {fault}")));
        }
        self.properties.push(Property { name: name.to_owned(), rule });
        Ok(())
    }

    /// Check only the properties called `names`, in that order. What bounds the search, constraints
    /// and terminal worlds, stays.
    pub fn select(&mut self, names: &[String]) -> Result<(), Error> {
        let mut kept = Vec::with_capacity(names.len());
        for name in names {
            let at = self.properties.iter().position(|known| known.name == *name);
            let at = at.ok_or_else(|| {
                let known: Vec<_> = self.properties.iter().filter(|p| judges(p)).collect();
                let known: Vec<_> = known.iter().map(|property| property.name.as_str()).collect();
                if kept.iter().any(|kept: &Property| kept.name == *name) {
                    return Error::Argument(format!(
                        "property {name:?} is named twice; once will do"
                    ));
                }
                Error::Argument(format!(
                    "{} has no property {name:?} to check; it has {}",
                    self.name,
                    if known.is_empty() { "none".into() } else { known.join(", ") }
                ))
            })?;
            kept.push(self.properties.remove(at));
        }
        self.properties.retain(|property| !judges(property));
        self.properties.splice(0..0, kept);
        Ok(())
    }

    /// It is a caller's in C now.
    pub fn hand_out(&self) {
        self.handed_out.store(true, Ordering::Relaxed);
    }

    /// Whether it is a caller's in C.
    pub fn is_handed_out(&self) -> bool {
        self.handed_out.load(Ordering::Relaxed)
    }

    /// Keep what a call on it that failed said.
    pub fn complain(&self, text: &str) {
        let mut complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        complaint.get_or_insert_with(|| text.to_owned());
    }

    /// What the first call on it that failed said; asked once.
    pub fn take_complaint(&self) -> Option<String> {
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Whether a property can be broken; the others say what is searched.
fn judges(property: &Property) -> bool {
    !matches!(property.rule, Rule::Constraint(_) | Rule::Terminal(_))
}

/// Whether a property may be called `name`; if not, why.
pub fn nameable(name: &str) -> Result<(), String> {
    if name.is_empty() || name.chars().any(|c| c.is_control() || c == '"') {
        return Err("a property's name is one line of text without a quote".into());
    }
    let reserved = |word: &&str| match word.strip_suffix(':') {
        Some(_) => name.starts_with(*word),
        None => name == *word,
    };
    match RESERVED.iter().any(reserved) {
        true => Err(format!("{name:?} is the name of a built-in rule; use another")),
        false => Ok(()),
    }
}
