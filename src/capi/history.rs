//! Histories: a function of the caller says what each reply in the log of a core means, and
//! [`crate::check::history`] makes a property of it. An operation holds its bytes itself, so that
//! nothing has to outlive the call that fills it in, and says nothing until it is filled in.
#![allow(unsafe_code)] // pointers and functions of callers, and exported names: all start with cmc_

use std::ffi::{c_int, c_void};

use super::error::{CmcStatus, Failure};
use super::model::change;
use super::predicate::User;
use super::world::CmcReply;
use crate::check::history::event::{Answered, Asked, Event};
use crate::check::history::{Hear, Subject, of_core};
use crate::check::model::{self, Model};
use crate::cores::abi::CMC_MAX_BYTES;
use crate::cores::sized::{self, Filled};
use crate::history::{Consistency, Object};
use crate::world::Reply;

/// What order the operations of a history must be explained by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcConsistency {
    /// One in which an operation that ended before another began stands before it. The property is
    /// called "linearizable".
    CMC_LINEARIZABLE = 0,
    /// One in which each client's operations stand in the client's order. The property is called
    /// "sequentially consistent".
    CMC_SEQUENTIAL = 1,
}

/// What clients share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcObject {
    /// One register for each key: it holds a value or nothing.
    CMC_REGISTER = 0,
    /// One queue for each key: first in, first out, of any length, empty at first.
    CMC_QUEUE = 1,
}

/// What a reply in the log of a core means. A call is on the object `key`; an answer is to the call of
/// the same client that was not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum CmcOperationKind {
    /// A call: what the register holds. Answers: CMC_OP_FOUND, CMC_OP_NONE.
    CMC_OP_READ = 1,
    /// A call: hold `value`. Answer: CMC_OP_DONE.
    CMC_OP_WRITE = 2,
    /// A call: hold nothing. Answers: CMC_OP_DONE, or CMC_OP_NONE if it held nothing.
    CMC_OP_DELETE = 3,
    /// A call: hold `value` if it holds `old`. Answers: CMC_OP_DONE, CMC_OP_FAILED.
    CMC_OP_CAS = 4,
    /// A call: put `value` at the end of the queue. Answer: CMC_OP_DONE.
    CMC_OP_ENQUEUE = 5,
    /// A call: take the first value of the queue. Answers: CMC_OP_FOUND, CMC_OP_NONE.
    CMC_OP_DEQUEUE = 6,
    /// A call that is left out, with its answer, whatever that is.
    CMC_OP_SKIP = 7,
    /// An answer: it was done.
    CMC_OP_DONE = 16,
    /// An answer: it was not done, because something else than `old` was there.
    CMC_OP_FAILED = 17,
    /// An answer: `value` was there.
    CMC_OP_FOUND = 18,
    /// An answer: nothing was there.
    CMC_OP_NONE = 19,
    /// An answer to any call: nobody knows whether it was or will be done.
    CMC_OP_UNKNOWN = 20,
    /// Nothing to the history: neither a call nor an answer.
    CMC_OP_IGNORE = 32,
}

use CmcOperationKind::*;

const KINDS: [CmcOperationKind; 13] = [
    CMC_OP_READ,
    CMC_OP_WRITE,
    CMC_OP_DELETE,
    CMC_OP_CAS,
    CMC_OP_ENQUEUE,
    CMC_OP_DEQUEUE,
    CMC_OP_SKIP,
    CMC_OP_DONE,
    CMC_OP_FAILED,
    CMC_OP_FOUND,
    CMC_OP_NONE,
    CMC_OP_UNKNOWN,
    CMC_OP_IGNORE,
];

/// A call or an answer. What its kind does not need is not looked at.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcOperation {
    /// A CmcOperationKind.
    pub kind: u8,
    /// Bytes used of `key`; 0: there is one object only.
    pub key_len: u8,
    /// Bytes used of `value`, 1 at least where one is needed.
    pub value_len: u8,
    /// Bytes used of `old`, 1 at least where it is needed.
    pub old_len: u8,
    /// Whose it is: any number. A client waits for the answer to one call before the next; a call whose
    /// answer a crash may lose needs a client of its own.
    pub client: u32,
    /// The object.
    pub key: [u8; CMC_MAX_BYTES],
    /// What is written, put or found. Sentences show it as text: a number is better written out.
    pub value: [u8; CMC_MAX_BYTES],
    /// What must be there for CMC_OP_CAS.
    pub old: [u8; CMC_MAX_BYTES],
}

impl CmcOperation {
    /// As a caller gets it.
    const EMPTY: CmcOperation = CmcOperation {
        kind: 0,
        key_len: 0,
        value_len: 0,
        old_len: 0,
        client: 0,
        key: [0; CMC_MAX_BYTES],
        value: [0; CMC_MAX_BYTES],
        old: [0; CMC_MAX_BYTES],
    };

    /// What it means; else what is wrong with it.
    fn event(&self) -> Result<Event<'_>, String> {
        let kind = KINDS.into_iter().find(|kind| *kind as u8 == self.kind).ok_or_else(|| {
            format!(
                "parse() set kind to {}; set it to one of CMC_OP_..., which is CMC_OP_IGNORE for a \
                 reply that is no part of the history",
                self.kind
            )
        })?;
        let value = || needed("value", &self.value, self.value_len);
        let asked = match kind {
            CMC_OP_READ => Asked::Read,
            CMC_OP_WRITE => Asked::Write(value()?),
            CMC_OP_DELETE => Asked::Delete,
            CMC_OP_CAS => {
                Asked::Swap { old: needed("old", &self.old, self.old_len)?, new: value()? }
            }
            CMC_OP_ENQUEUE => Asked::Enqueue(value()?),
            CMC_OP_DEQUEUE => Asked::Dequeue,
            CMC_OP_SKIP => return Ok(Event::Skip { client: self.client() }),
            CMC_OP_DONE => return Ok(self.answer(Answered::Done)),
            CMC_OP_FAILED => return Ok(self.answer(Answered::Failed)),
            CMC_OP_FOUND => return Ok(self.answer(Answered::Found(value()?))),
            CMC_OP_NONE => return Ok(self.answer(Answered::Nothing)),
            CMC_OP_UNKNOWN => return Ok(self.answer(Answered::Unknown)),
            CMC_OP_IGNORE => return Ok(Event::Nothing),
        };
        let key = used("key", &self.key, self.key_len)?;
        Ok(Event::Call { client: self.client(), key, asked })
    }

    fn client(&self) -> usize {
        self.client as usize
    }

    fn answer<'a>(&self, answered: Answered<'a>) -> Event<'a> {
        Event::Answer { client: self.client(), answered }
    }
}

/// The bytes of a field.
fn used<'a>(name: &str, bytes: &'a [u8; CMC_MAX_BYTES], len: u8) -> Result<&'a [u8], String> {
    bytes.get(..len.into()).ok_or_else(|| {
        format!("parse() set {name}_len to {len}; {name} has room for {CMC_MAX_BYTES} bytes")
    })
}

/// The bytes of a field that may not be empty: most likely it was forgotten, and all values would be
/// the same.
fn needed<'a>(name: &str, bytes: &'a [u8; CMC_MAX_BYTES], len: u8) -> Result<&'a [u8], String> {
    match used(name, bytes, len)? {
        [] => Err(format!(
            "parse() set kind and left {name}_len 0; set {name}, 1 to {CMC_MAX_BYTES} bytes"
        )),
        bytes => Ok(bytes),
    }
}

/// What must hold of the history that the log of a core is.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CmcHistory {
    /// sizeof(CmcHistory).
    pub size: usize,
    /// A CmcConsistency.
    pub consistency: u8,
    /// A CmcObject.
    pub object: u8,
    /// Bytes of `initial`; 0: registers hold nothing at first.
    pub initial_len: u16,
    /// What registers hold at first, copied.
    pub initial: *const u8,
    /// Say in `operation`, which is zero, what `reply` means, and return 0; anything else when it cannot
    /// be read, which makes the check an error. The answer depends on the reply only. May be called on
    /// several threads at once when the search has several workers.
    pub parse: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            reply: *const CmcReply,
            operation: *mut CmcOperation,
        ) -> c_int,
    >,
    /// What `parse` is given first.
    pub user: *mut c_void,
}

// SAFETY: it is repr(C), starts with `size`, and holds numbers, pointers and an optional function.
unsafe impl Filled for CmcHistory {
    const NAME: &'static str = "CmcHistory";
}

impl CmcHistory {
    /// # Safety
    /// `self.initial` is NULL or points to `self.initial_len` bytes.
    unsafe fn subject(&self) -> Result<Subject, Failure> {
        let consistency = match self.consistency {
            0 => Consistency::Linearizable,
            1 => Consistency::Sequential,
            other => {
                return Err(Failure::argument(format!(
                    "consistency is {other}; it is CMC_LINEARIZABLE or CMC_SEQUENTIAL"
                )));
            }
        };
        let object = match self.object {
            0 => Object::Register,
            1 => Object::Queue,
            other => {
                return Err(Failure::argument(format!(
                    "object is {other}; it is CMC_REGISTER or CMC_QUEUE"
                )));
            }
        };
        // SAFETY: the caller vouches for the bytes.
        Ok(Subject { consistency, object, initial: unsafe { self.initial(object) }? })
    }

    /// # Safety
    /// As for [`CmcHistory::subject`].
    unsafe fn initial(&self, object: Object) -> Result<Option<Vec<u8>>, Failure> {
        let len = self.initial_len.into();
        if self.initial.is_null() != (len == 0) {
            return Err(Failure::argument(format!(
                "initial_len is {len}; give a value and how many bytes it has, or NULL and 0"
            )));
        }
        if len > CMC_MAX_BYTES {
            return Err(Failure::argument(format!(
                "initial_len is {len}; a value has 1 to {CMC_MAX_BYTES} bytes"
            )));
        }
        // SAFETY: the caller vouches for the bytes.
        let initial = unsafe { sized::bytes(self.initial, len) };
        match object == Object::Queue && initial.is_some() {
            true => Err(Failure::argument(
                "initial is for CMC_REGISTER; a queue is empty at first, so leave it NULL",
            )),
            false => Ok(initial),
        }
    }

    /// What is asked of the caller for each reply.
    ///
    /// # Safety
    /// `self.parse` is what its type says, and may be called with `self.user` on any thread for as
    /// long as the function lives.
    unsafe fn parser(
        &self,
    ) -> Result<impl Fn(Reply<'_>, Hear<'_>) -> Result<(), String> + Send + Sync + 'static, Failure>
    {
        let parse = self.parse.ok_or_else(|| {
            Failure::argument("parse is NULL; give the function that says what a reply means")
        })?;
        // SAFETY: as the caller vouches.
        let user = unsafe { User::new(self.user) };
        Ok(move |Reply { node, client, bytes }: Reply<'_>, hear: Hear<'_>| {
            let reply = CmcReply::new(node, client, bytes);
            let mut operation = CmcOperation::EMPTY;
            // SAFETY: the caller vouches for the function; both live as long as the call.
            let status = unsafe { parse(user.pointer(), &raw const reply, &raw mut operation) };
            match status {
                0 => hear(operation.event()?),
                _ => Err(format!(
                    "parse() returned {status}, so that it cannot be read; correct parse(), or what \
                     the core replies"
                )),
            }
        })
    }
}

/// Refuse what has no log that `parse` could read.
fn replies(subject: &model::Subject) -> Result<(), Failure> {
    let why = match subject {
        model::Subject::Core(core) if !core.cores.core().is_direct() => return Ok(()),
        model::Subject::Core(_) => {
            "a core that lists its actions asks for no effects, and so it answers nobody; there is no \
             history to check"
        }
        model::Subject::Programs(_) => {
            "a CmcHistory is for cores; what clients of programs ask and are answered is checked by \
             [history] in the model file"
        }
    };
    Err(Failure::argument(why))
}

/// Add the property that the history in the log of a core is linearizable or sequentially consistent.
/// What `parse` needs must outlive the model. Threads: one.
// SAFETY: no other object defines this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cmc_model_history(
    model: *mut Model,
    history: *const CmcHistory,
) -> CmcStatus {
    // SAFETY: the caller vouches for both pointers, and for what the structure holds.
    unsafe {
        change(model, |model| {
            let history = sized::read(history)?;
            replies(&model.subject)?;
            let property = of_core(history.subject()?, history.parser()?);
            Ok(model.add(&property.name, property.rule)?)
        })
    }
}
