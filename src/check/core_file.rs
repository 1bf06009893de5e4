//! Core files: shared objects that export `cmc_core`, and `cmc_setup` where they say more.
#![allow(unsafe_code)] // it loads code of the core's author

use std::error::Error as _;
use std::ffi::{c_int, c_void};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::core_model::{CoreModel, Origin};
use super::model::{Model, Subject};
use super::setup::{CmcSetup, Setup};
use crate::cores::abi::CmcCore;
use crate::cores::{Core, Cores};
use crate::error::Error;
use crate::fingerprint::Fingerprint;

/// `CMC_ERR_ARGUMENT` of `cmc.h`.
const ARGUMENT: c_int = -1;

/// The core file at `path`, with what `set`, texts `NAME=VALUE`, sets in it.
pub fn open<S: AsRef<str>>(path: &Path, set: &[S]) -> Result<Model, Error> {
    let said = path.display();
    let wrong = |fault: String| Error::Model(format!("{said}: {fault}"));
    let bytes = std::fs::read(path).map_err(|error| {
        wrong(format!("{error}; --core needs a shared object that exports cmc_core"))
    })?;
    // A name without a slash would be looked for where the system keeps its libraries.
    let whole = std::path::absolute(path)
        .map_err(|error| Error::host("the working directory", &error, "change to one"))?;
    // What it needs and nobody has is missed now: later the loader would end the process for it.
    let now = RTLD_NOW | RTLD_LOCAL;
    // SAFETY: loading runs the object's constructors; a core, which is pure, has none, and whoever
    // names a file on the command line wants its code to run.
    let library = unsafe { Library::open(Some(&whole), now) };
    let library = library.map_err(|error| wrong(explained(&error)))?;
    let symbol = |name: &str| {
        // SAFETY: the symbol is taken as an address only.
        unsafe { library.get::<*const c_void>(name) }.ok().map(|symbol| *symbol)
    };
    let core = symbol("cmc_core").ok_or_else(|| {
        wrong("it does not export cmc_core; define `const CmcCore cmc_core` in it".into())
    })?;
    let setup = symbol("cmc_setup");
    // SAFETY: an object that exports these names means what cmc.h says of them; the functions stay
    // loaded because the model keeps the library.
    let mut model = unsafe {
        let setup = setup.map_or(std::ptr::null(), |setup| setup.cast());
        set_up(core.cast(), setup, set)
    }
    .map_err(|error| match error {
        Error::Argument(text) => Error::Argument(format!("{said}: {text}")),
        Error::Model(text) => wrong(text),
        other => other,
    })?;
    model.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Subject::Core(core) = &mut model.subject {
        core.origin = Origin::File {
            path: path.to_owned(),
            hash: format!("{:032x}", Fingerprint::whole(&bytes).0),
            settings: set.iter().map(|text| text.as_ref().to_owned()).collect(),
        };
        core.library = Some(library.into());
    }
    Ok(model)
}

/// The model of a core and its setup, which may be NULL, with what `set` sets in it.
///
/// # Safety
/// Both are as `cmc.h` describes them, and what they point to outlives the model.
pub unsafe fn set_up<S: AsRef<str>>(
    core: *const CmcCore,
    setup: *const CmcSetup,
    set: &[S],
) -> Result<Model, Error> {
    let nothing = CmcSetup {
        size: size_of::<CmcSetup>(),
        env: std::ptr::null(),
        parameters: std::ptr::null(),
        parameter_count: 0,
        describe: None,
    };
    let setup = if setup.is_null() { &raw const nothing } else { setup };
    // SAFETY: the caller vouches for both.
    let (core, setup) = unsafe { (Core::read(core)?, Setup::read(setup)?) };
    let name = core.name().to_owned();
    let cores = Cores::new(core, setup.environment(set)?)?;
    let mut model = Model::new(name, Subject::Core(Box::new(CoreModel::new(cores))));
    if let Some(describe) = setup.describe {
        // SAFETY: the caller vouches for the function; the model is one that no other thread has.
        let status = unsafe { describe(&raw mut model) };
        described(status, model.take_complaint(), set)?;
    }
    Ok(model)
}

/// How describe() went: by what it returned, and by what a call that it made and that failed said. A
/// failure that it did not look at is one: something that it wanted checked is not.
fn described<S: AsRef<str>>(
    status: c_int,
    complaint: Option<String>,
    set: &[S],
) -> Result<(), Error> {
    let said = match (status, complaint) {
        (0, None) => return Ok(()),
        (_, Some(complaint)) => complaint,
        // A core's way to say that its numbers are good each and bad together.
        (ARGUMENT, None) if !set.is_empty() => {
            let set: Vec<&str> = set.iter().map(AsRef::as_ref).collect();
            return Err(Error::Model(format!(
                "--set {}: the core refuses these numbers together; describe() in its source has \
                 the condition",
                set.join(" --set ")
            )));
        }
        (_, None) => "no call that it made had failed; let it return CMC_OK".into(),
    };
    Err(Error::Model(format!("describe() of its cmc_setup returned {status}: {said}")))
}

/// What the loader says, and what to do about it.
fn explained(error: &libloading::Error) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let remedy = if text.contains("undefined symbol: cmc_") {
        "link the program that opens it with -rdynamic, or to libcmc.so"
    } else if text.contains("undefined symbol") {
        "link what it needs into it"
    } else {
        "--core needs a shared object: cc -shared -fPIC"
    };
    format!("{text}; {remedy}")
}
