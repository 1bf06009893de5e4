//! Models: made of a core, of a core file or of a model file, given properties, freed. A call holds
//! the model for as long as it runs, so that no callback and no other thread can change or free what
//! is in use, and a model on which a call never returned is of no more use.
#![allow(unsafe_code)] // pointers of callers, and exported names: ours all start with cmc_

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::error::{CmcStatus, Failure};
use super::guard::guard;
use super::handle::{self, Out};
use super::lend::Extra;
use super::predicate::{self, CmcHolds, CmcHoldsStep, Owner};
use super::world::no_settings;
use crate::action::Kind;
use crate::check::core_file;
use crate::check::core_model::CoreModel;
use crate::check::latch::{Entered, Latch, Refused};
use crate::check::model::{Model, Subject};
use crate::check::setup::CmcSetup;
use crate::cores::abi::{CmcCore, CmcEnv, CmcFormat};
use crate::cores::format::Format;
use crate::cores::{Core, Cores, Env, sized};
use crate::property::{Kinds, Rule};

/// Let a call in.
pub(super) fn enter(latch: &Latch) -> Result<Entered<'_>, Failure> {
    latch.enter().map_err(|refused| match refused {
        Refused::Busy => Failure::argument(
            "another call on this model has not returned: it runs on another thread, or this is a \
             callback of it, or a callback left it by longjmp() or an exception; use one model on \
             each thread, and none of these",
        ),
        Refused::Poisoned => Failure {
            status: CmcStatus::CMC_ERR_INTERNAL,
            text: "an earlier call on this model panicked; free it and make another".into(),
        },
    })
}

/// The latch of a model.
///
/// # Safety
/// `model` is NULL or a model that is not freed while this runs.
unsafe fn latch(model: *const Model) -> Result<Arc<Latch>, Failure> {
    if model.is_null() {
        return Err(Failure::argument("model is NULL"));
    }
    // SAFETY: the caller vouches for the model. Only its latch is looked at: it may be in use.
    Ok(Arc::clone(unsafe { &(*model).latch }))
}

/// Run `call` on a model that nobody else uses meanwhile.
///
/// # Safety
/// As for [`latch`].
pub(super) unsafe fn on_model(
    model: *const Model,
    call: impl FnOnce(&Model) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // SAFETY: the caller vouches for the model.
    let latch = unsafe { latch(model) }?;
    let _entered = enter(&latch)?;
    // SAFETY: as above; whoever was let in is alone.
    let model = unsafe { &*model };
    call(model).inspect_err(|failure| {
        model.complain(&failure.text);
        if failure.status == CmcStatus::CMC_ERR_INTERNAL {
            latch.poison();
        }
    })
}

/// Change a model by `call`.
///
/// # Safety
/// As for [`latch`].
pub(super) unsafe fn change(
    model: *mut Model,
    call: impl FnOnce(&mut Model) -> Result<(), Failure>,
) -> CmcStatus {
    guard(|| {
        // SAFETY: the caller vouches for the model.
        let latch = unsafe { latch(model) }?;
        let _entered = enter(&latch)?;
        // SAFETY: as above; whoever was let in is alone.
        let model = unsafe { &mut *model };
        call(model).inspect_err(|failure| model.complain(&failure.text))
    })
}

fn give(model: Model, place: Out<*mut Model>) {
    model.hand_out();
    place.give(model);
}

/// The settings of a core.
pub(super) fn settings(model: &Model) -> Option<&[u8]> {
    match &model.subject {
        Subject::Core(core) => Some(&core.cores.env().settings),
        Subject::Programs(_) => None,
    }
}

/// Whether it is a core that lists its own actions.
fn is_direct(model: &Model) -> bool {
    matches!(&model.subject, Subject::Core(core) if core.cores.core().is_direct())
}

/// Make a model of a core, which is copied; what it points to must outlive the model. NULL for `env`
/// is one node without budgets. Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_new(
    core: *const CmcCore,
    env: *const CmcEnv,
    model: *mut *mut Model,
) -> CmcStatus {
    guard(|| {
        // SAFETY: the caller vouches for all pointers, and for the core's functions.
        let (place, core, env) =
            unsafe { (Out::new(model, "model")?, Core::read(core)?, Env::read(env)?) };
        let name = core.name().to_owned();
        let core = CoreModel::new(Cores::new(core, env)?);
        give(Model::new(name, Subject::Core(Box::new(core))), place);
        Ok(())
    })
}

/// Make a model of a core and its setup. `set` are `count` texts NAME=VALUE, as with cmc --set.
/// Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_set_up(
    core: *const CmcCore,
    setup: *const CmcSetup,
    set: *const *const c_char,
    count: usize,
    model: *mut *mut Model,
) -> CmcStatus {
    guard(|| {
        // SAFETY: the caller vouches for all pointers, and for all functions.
        let (place, set) =
            unsafe { (Out::new(model, "model")?, handle::texts(set, count, "set")?) };
        // SAFETY: as above.
        give(unsafe { core_file::set_up(core, setup, &set) }?, place);
        Ok(())
    })
}

/// Make a model of the core file `path`, as cmc --core does. Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_open(
    path: *const c_char,
    set: *const *const c_char,
    count: usize,
    model: *mut *mut Model,
) -> CmcStatus {
    guard(|| {
        // SAFETY: the caller vouches for all pointers.
        let (place, path, set) = unsafe {
            (
                Out::new(model, "model")?,
                handle::path(path, "path")?,
                handle::texts(set, count, "set")?,
            )
        };
        give(core_file::open(path, &set)?, place);
        Ok(())
    })
}

/// Make a model of the programs that the model file `path` describes. Threads: any.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_load(path: *const c_char, model: *mut *mut Model) -> CmcStatus {
    guard(|| {
        // SAFETY: the caller vouches for both pointers.
        let (place, path) = unsafe { (Out::new(model, "model")?, handle::path(path, "path")?) };
        give(Model::load(path)?, place);
        Ok(())
    })
}

/// Add a property: its name, and a function of it.
///
/// # Safety
/// The pointers are NULL or what the header says; `rule` is given what it needs.
unsafe fn add<F>(
    model: *mut Model,
    name: *const c_char,
    holds: Option<F>,
    rule: impl FnOnce(Owner, F) -> Result<Rule, Failure>,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers.
    unsafe {
        change(model, |model| {
            let name = handle::text(name, "name")?;
            let holds = holds.ok_or_else(|| {
                Failure::argument(format!("property {name:?}: its function is NULL"))
            })?;
            let extra = Extra { settings: settings(model).map(Arc::from), bare: is_direct(model) };
            let owner = Owner { name: name.to_owned(), extra };
            Ok(model.add(name, rule(owner, holds)?)?)
        })
    }
}

/// Add an invariant: it must hold in every world. Names are copied and unique. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_invariant(
    model: *mut Model,
    name: *const c_char,
    holds: CmcHolds,
    user: *mut c_void,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers and for the function.
    unsafe {
        add(model, name, holds, |owner, holds| {
            Ok(Rule::Invariant(predicate::on_worlds(owner, holds, user)))
        })
    }
}

/// Add a step property: it must hold on every transition. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_step(
    model: *mut Model,
    name: *const c_char,
    holds: CmcHoldsStep,
    user: *mut c_void,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers and for the function.
    unsafe {
        add(model, name, holds, |owner, holds| {
            Ok(Rule::Step(predicate::on_steps(owner, holds, user)))
        })
    }
}

/// Add a property that must hold in at least one world of a complete search. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_sometimes(
    model: *mut Model,
    name: *const c_char,
    holds: CmcHolds,
    user: *mut c_void,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers and for the function.
    unsafe {
        add(model, name, holds, |owner, holds| {
            Ok(Rule::Sometimes(predicate::on_worlds(owner, holds, user)))
        })
    }
}

/// Add a property that must hold at some time in every run that is weakly fair to the kinds of action
/// in `fair` (bit 1 << CMC_DELIVER and so on); 0: all but clients, time-outs, restarts and faults.
/// Of drops, dups and crashes, only those in `fair` keep a run from ending. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_eventually(
    model: *mut Model,
    name: *const c_char,
    holds: CmcHolds,
    user: *mut c_void,
    fair: u32,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers and for the function.
    unsafe {
        add(model, name, holds, |owner, holds| {
            let unknown = fair & !Kinds::of(&Kind::ALL).0;
            if unknown != 0 {
                return Err(Failure::argument(format!(
                    "property {:?}: fair has the bits {unknown:#x}, which stand for no kind of action; \
                     a kind has the bit 1 << CMC_DELIVER and so on",
                    owner.name
                )));
            }
            let fair = if fair == 0 { Kinds::DEFAULT } else { Kinds(fair) };
            Ok(Rule::Eventually { holds: predicate::on_worlds(owner, holds, user), fair })
        })
    }
}

/// Add a state constraint: worlds where it does not hold are checked and dropped. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_constraint(
    model: *mut Model,
    name: *const c_char,
    holds: CmcHolds,
    user: *mut c_void,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers and for the function.
    unsafe {
        add(model, name, holds, |owner, holds| {
            Ok(Rule::Constraint(predicate::on_worlds(owner, holds, user)))
        })
    }
}

/// Say which worlds may end without being a deadlock. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_terminal(
    model: *mut Model,
    name: *const c_char,
    holds: CmcHolds,
    user: *mut c_void,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers and for the function.
    unsafe {
        add(model, name, holds, |owner, holds| {
            Ok(Rule::Terminal(predicate::on_worlds(owner, holds, user)))
        })
    }
}

/// Say how states and bytes of a core are shown; the structure is copied. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_format(
    model: *mut Model,
    format: *const CmcFormat,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers and for the functions.
    unsafe {
        change(model, |model| {
            let format = sized::read(format)?;
            match &mut model.subject {
                Subject::Core(core) => core.format = Format::new(&format),
                Subject::Programs(_) => {
                    return Err(Failure::argument(
                        "a CmcFormat is for cores; what programs hold is shown by the fields of \
                         their model file",
                    ));
                }
            }
            Ok(())
        })
    }
}

/// The settings that a core is run with; they live while the model does. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_settings(
    model: *const Model,
    settings: *mut *const u8,
    len: *mut usize,
) -> CmcStatus {
    // SAFETY: the caller vouches for all pointers.
    guard(|| unsafe {
        on_model(model, |model| {
            let (place, len) = (Out::new(settings, "settings")?, Out::new(len, "len")?);
            let settings = self::settings(model).ok_or_else(no_settings)?;
            place.put(settings.as_ptr());
            len.put(settings.len());
            Ok(())
        })
    })
}

/// Free a model that no call is using. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_free(model: *mut Model) {
    guard(|| {
        if model.is_null() {
            return Ok(());
        }
        // SAFETY: the caller vouches for the model.
        let latch = unsafe { latch(model) }?;
        let kept = |why: &str| Err(Failure::argument(format!("the model was not freed: {why}")));
        if latch.is_busy() {
            return kept("a call on it has not returned");
        }
        // SAFETY: as above.
        if !unsafe { &*model }.is_handed_out() {
            return kept(
                "it is lent to describe(); what describe() returns says what becomes of it",
            );
        }
        // SAFETY: it was handed out, and the caller has done with it.
        drop(unsafe { handle::take(model) });
        Ok(())
    });
}
