//! What a core file says beside its core, and what a command line sets in it: names and numbers in,
//! an environment with settings out. A parameter of the core is one byte of settings.
#![allow(unsafe_code)] // it reads what the author of a core file filled in

use std::ffi::c_int;
use std::ops::RangeInclusive;

use super::model::Model;
use crate::cores::abi::{CMC_MAX_NODES, CMC_MAX_SETTINGS, CmcEnv, CmcParameter};
use crate::cores::sized::{self, Filled};
use crate::cores::{Discipline, Env};
use crate::error::Error;
use crate::spelling;

/// What a core file says beside its core: `cmc --core=FILE` reads the symbols cmc_core and
/// cmc_setup.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcSetup {
    /// sizeof(CmcSetup).
    pub size: usize,
    /// The environment as it is where the command line says nothing; its settings are not read. NULL:
    /// one node and no budgets.
    pub env: *const CmcEnv,
    /// The settings: parameter i is byte i.
    pub parameters: *const CmcParameter,
    /// How many parameters there are.
    pub parameter_count: usize,
    /// NULL, or a function that gives properties, constraints and a format to the model. It returns a
    /// CmcStatus.
    pub describe: Option<unsafe extern "C" fn(model: *mut Model) -> c_int>,
}

// SAFETY: it is repr(C), starts with `size`, and holds pointers, a number and an optional function.
unsafe impl Filled for CmcSetup {
    const NAME: &'static str = "CmcSetup";
}

/// The function that describes a model.
pub type Describe = unsafe extern "C" fn(model: *mut Model) -> c_int;

/// A `CmcSetup`, read and checked.
pub struct Setup {
    env: Env,
    parameters: Vec<Parameter>,
    /// Gives properties to a model.
    pub describe: Option<Describe>,
}

/// A byte of settings that has a name.
struct Parameter {
    name: String,
    value: u8,
    min: u8,
    max: u8,
    what: String,
}

/// The names of the environment that take a number.
const ENVIRONMENT: [&str; 8] =
    ["nodes", "drops", "dups", "crashes", "clients", "max_messages", "max_replies", "max_persists"];

impl Setup {
    /// Check and copy a setup.
    ///
    /// # Safety
    /// `setup` is NULL or a `CmcSetup` as `cmc.h` describes it, with what it points to.
    pub unsafe fn read(setup: *const CmcSetup) -> Result<Setup, Error> {
        // SAFETY: the caller vouches for the structure,
        let raw = unsafe { sized::read(setup) }?;
        // SAFETY: for its environment,
        let env = unsafe { without_settings(raw.env) }?;
        if raw.parameter_count > CMC_MAX_SETTINGS
            || raw.parameters.is_null() != (raw.parameter_count == 0)
        {
            return Err(Error::Argument(format!(
                "parameter_count is {}; give an array of at most {CMC_MAX_SETTINGS} parameters and how \
                 many they are, or NULL and 0",
                raw.parameter_count
            )));
        }
        let mut parameters: Vec<Parameter> = Vec::with_capacity(raw.parameter_count);
        for index in 0..raw.parameter_count {
            // SAFETY: and for as many parameters as it says.
            let parameter = unsafe { Parameter::read(raw.parameters.add(index)) };
            let parameter = parameter.map_err(|fault| {
                Error::Argument(format!("parameter {index} of the setup: {fault}"))
            })?;
            if parameters.iter().any(|known| known.name == parameter.name) {
                return Err(Error::Argument(format!(
                    "two parameters of the setup are called {:?}; rename one",
                    parameter.name
                )));
            }
            parameters.push(parameter);
        }
        Ok(Setup { env, parameters, describe: raw.describe })
    }

    /// The environment with what `set`, texts `NAME=VALUE`, changes in it.
    pub fn environment<S: AsRef<str>>(&self, set: &[S]) -> Result<Env, Error> {
        let mut env = self.env.clone();
        env.settings = self.parameters.iter().map(|parameter| parameter.value).collect();
        for text in set {
            let text = text.as_ref();
            self.set(&mut env, text)
                .map_err(|fault| Error::Argument(format!("--set {text}: {fault}")))?;
        }
        Ok(env)
    }

    fn set(&self, env: &mut Env, text: &str) -> Result<(), String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
        if let Some(at) = self.parameters.iter().position(|parameter| parameter.name == name) {
            let Parameter { min, max, what, .. } = &self.parameters[at];
            env.settings[at] = digits(value)
                .filter(|value| (min..=max).contains(&value))
                .ok_or_else(|| format!("{name} ({what}) is a number from {min} to {max}"))?;
            return Ok(());
        }
        let number = |range: RangeInclusive<u8>| {
            let (least, most) = (*range.start(), *range.end());
            let number = digits(value).filter(|number| range.contains(number));
            number.ok_or_else(|| format!("{name} is a number from {least} to {most}"))
        };
        match name {
            "network" => {
                env.network = match value {
                    "fifo" => Discipline::Fifo,
                    "bag" => Discipline::Bag,
                    _ => return Err("a network is fifo or bag".into()),
                };
            }
            "nodes" => {
                env.nodes = number(1..=CMC_MAX_NODES as u8)?.into();
                env.clients[env.nodes..].fill(0);
            }
            "drops" => env.drops = number(0..=255)?,
            "dups" => env.dups = number(0..=255)?,
            "crashes" => env.crashes = number(0..=255)?,
            "clients" => {
                let requests = number(0..=255)?;
                env.clients[..env.nodes].fill(requests);
            }
            "max_messages" => env.max_messages = number(1..=255)?,
            "max_replies" => env.max_replies = number(1..=255)?,
            "max_persists" => env.max_persists = number(1..=255)?,
            _ => match name.strip_prefix("clients.").and_then(|node| node.parse::<usize>().ok()) {
                Some(node) if node < env.nodes => env.clients[node] = number(0..=255)?,
                Some(_) => return Err(format!("there are {} nodes, counted from 0", env.nodes)),
                None => return Err(self.unknown(name)),
            },
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> String {
        let own = self.parameters.iter().map(|parameter| parameter.name.as_str());
        let names: Vec<&str> = own.chain(["network"]).chain(ENVIRONMENT).collect();
        format!("there is no {name:?} to set; {}", spelling::advice(name, "the names", &names))
    }
}

/// The environment `env`, but for its settings, which are not even looked at.
///
/// # Safety
/// As for [`Env::read`].
unsafe fn without_settings(env: *const CmcEnv) -> Result<Env, Error> {
    if env.is_null() {
        return Ok(Env::default());
    }
    // SAFETY: the caller vouches for the structure.
    let raw = unsafe { sized::read(env) }?;
    let size = size_of::<CmcEnv>();
    let raw = CmcEnv { size, settings: std::ptr::null(), settings_len: 0, ..raw };
    // SAFETY: it is whole, and there are no settings.
    unsafe { Env::read(&raw const raw) }
}

/// A number up to 255: no sign, no space.
fn digits(value: &str) -> Option<u8> {
    let plain = value.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| value.parse().ok()).flatten()
}

impl Parameter {
    /// # Safety
    /// `from` is a parameter as `cmc.h` describes it.
    unsafe fn read(from: *const CmcParameter) -> Result<Parameter, String> {
        // SAFETY: the caller vouches for the parameter and its texts.
        let raw = unsafe { *from };
        // SAFETY: as above.
        let (name, what) = unsafe { (sized::text(raw.name), sized::text(raw.what)) };
        let name = name.ok_or("its name is NULL")?;
        let taken = ENVIRONMENT.contains(&name.as_str()) || name == "network";
        if taken || name.is_empty() || name.contains(['=', '.']) || name.contains(char::is_control)
        {
            return Err(format!(
                "{name:?} cannot be its name: it is empty, has one of the signs = and . in it, or \
                 names something of the environment"
            ));
        }
        let CmcParameter { value, min, max, .. } = raw;
        if !(min..=max).contains(&value) {
            return Err(format!("the default of {name} is {value}, not from {min} to {max}"));
        }
        Ok(Parameter { name, value, min, max, what: what.unwrap_or_default() })
    }
}
