//! Runs every export: what fails becomes a status and a sentence, and so does a panic, which never
//! leaves the library. A panic inside a call is not printed either, on whatever thread of the search
//! it happens: the library prints nothing.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::error::{self, CmcStatus, Failure};

/// Calls that may have threads of a search at work.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Calls that this thread is in; a callback may make another.
    static INSIDE: Cell<usize> = const { Cell::new(0) };
    /// What this thread panicked with inside a call.
    static PANICKED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Run an export, and say how it ended.
pub(super) fn guard(call: impl FnOnce() -> Result<(), Failure>) -> CmcStatus {
    match caught(call) {
        Ok(()) => CmcStatus::CMC_OK,
        Err(failure) => {
            error::keep(&failure.text);
            failure.status
        }
    }
}

/// Run an export that may have threads at work, and say how it ended.
pub(super) fn guard_work(call: impl FnOnce() -> Result<(), Failure>) -> CmcStatus {
    AT_WORK.fetch_add(1, Ordering::Relaxed);
    let status = guard(call);
    AT_WORK.fetch_sub(1, Ordering::Relaxed);
    status
}

fn caught<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    silence();
    let depth = INSIDE.try_with(|inside| inside.replace(inside.get() + 1)).unwrap_or(0);
    // What a panic leaves behind is not looked at again: its handle is poisoned.
    let ended = catch_unwind(AssertUnwindSafe(call));
    let _ = INSIDE.try_with(|inside| inside.set(depth));
    ended.unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let kept = PANICKED.try_with(|panicked| panicked.borrow_mut().take()).ok().flatten();
    let said = kept.unwrap_or_else(|| message(panic).into());
    let text = format!("internal error, please report it: panicked: {said}");
    Failure { status: CmcStatus::CMC_ERR_INTERNAL, text }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

/// Put a hook in front of the one that is there: a panic inside a call is kept, not printed.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let inside = INSIDE.try_with(Cell::get).unwrap_or(0) > 0;
            let works = || thread::current().name().is_some_and(|name| name.starts_with("worker "));
            if inside || AT_WORK.load(Ordering::Relaxed) > 0 && works() {
                let _ = PANICKED.try_with(|panicked| *panicked.borrow_mut() = Some(told(info)));
            } else {
                before(info);
            }
        }));
    });
}

fn told(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
    format!("{}{place}", message(info.payload()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error_with_message_and_place() {
        let status = guard(|| panic!("the {}", "reason"));
        assert_eq!(status, CmcStatus::CMC_ERR_INTERNAL);
        let said = error::kept();
        assert!(said.contains("panicked: the reason (") && said.contains("guard.rs:"), "{said}");
        assert_eq!(INSIDE.get(), 0);
    }

    #[test]
    fn a_failure_keeps_its_sentence_and_success_leaves_it() {
        assert_eq!(guard(|| Err(Failure::argument("no"))), CmcStatus::CMC_ERR_ARGUMENT);
        assert_eq!(guard(|| Ok(())), CmcStatus::CMC_OK);
        assert_eq!(error::kept(), "no");
    }
}
