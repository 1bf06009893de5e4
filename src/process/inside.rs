//! Calls that a node has answered inside of its process: by the preload, in place of two switches
//! between processes. Each is answered once more here, by the handler that answers it where it is
//! asked, from what the log says of it, in order and before whatever the node asks next. That must
//! come to the same answer, and behind it the node must be what the preload took it for. So whatever
//! the preload does, a step is what the handlers make of it.

use super::call_log::{self, Entry, Kinds, Terms, Unreadable};
use super::calls;
use super::contract::{CALL_LOG, LOG_BASE, LOG_FD};
use super::handle::{self, Answer, lifecycle};
use super::node::Node;
use super::notify::{Door, Notification};
use super::request::Request;
use crate::error::Error;
use crate::system::Stop;

impl Node {
    /// Whether it may answer calls inside of its process, from its next step on; and its twin.
    pub fn answer_inside(&mut self, may: bool) {
        self.inside = may;
        if let Some(twin) = &mut self.twin {
            twin.answer_inside(may);
        }
    }

    /// Say what the process may answer by itself when it goes on, if it is to.
    pub(super) fn arm(&mut self, inside: bool) -> Result<(), Stop> {
        let terms = Terms {
            local: &self.local,
            clock: self.answers.clock,
            identity: lifecycle::identity(self),
            layout: self.layout.as_ref(),
        };
        let armed = self.log.arm(inside.then_some(terms));
        armed.map_err(|error| self.lost("writing its log", &error))
    }

    /// The calls that the process has answered since it went on, and what it then takes its
    /// descriptors for.
    pub(super) fn take_log(&mut self) -> Result<call_log::Done, Stop> {
        self.log.take().map_err(|why| match why {
            Unreadable::Overwritten => self.overwritten(),
            Unreadable::Host(error) => self.lost("reading its log", &error),
        })
    }

    fn overwritten(&self) -> Stop {
        self.cannot(&format!(
            "it has written into memory that cmc shares with it, at {LOG_BASE:#x}: it uses a wrong \
             address"
        ))
        .into()
    }

    /// Do once more what the process has answered by itself.
    pub(super) fn repeat(&mut self, entry: &Entry) -> Result<(), Stop> {
        let call = calls::find(entry.number).filter(|call| call.is_answered_inside());
        let call = call.ok_or_else(|| self.overwritten())?;
        let notification = Notification {
            id: 0,
            pid: self.process().pid().as_raw(),
            number: entry.number,
            door: Door::Native,
            instruction: entry.instruction,
            arguments: entry.arguments,
        };
        let logged = Some(&entry.bytes[..]);
        let request = Request { call, notification, memory: self.memory(), logged };
        match handle::dispatch(self, &request)? {
            Answer::Return(answer) if answer == entry.answer => Ok(()),
            other => Err(Error::Internal(format!(
                "node {} was answered {} inside, where the answer is {other:?}, to {}",
                self.number(),
                entry.answer,
                request.print()
            ))
            .into()),
        }
    }

    /// An error unless the preload takes the descriptors for what they are.
    pub(super) fn compare_kinds(&self, found: Option<Kinds>) -> Result<(), Stop> {
        match found.is_none_or(|found| found == call_log::kinds(&self.local)) {
            true => Ok(()),
            false => Err(self.overwritten()),
        }
    }

    /// Put its log into a copy that is stopped in its first call. That it maps and closes it the filter
    /// allows.
    pub(super) fn give_log(&self, notification: &Notification) -> Result<(), Stop> {
        use std::os::fd::AsFd;
        let file = self.log.file().as_fd();
        let given = self.process.listener.put_file(notification.id, file, LOG_FD as i32);
        given.map_err(|error| self.lost("handing over its log", &error))
    }

    /// Serve the call by which the preload asks for its log, before any code of the program runs; false
    /// if it is another one.
    pub(super) fn serve_log(&mut self, notification: &Notification) -> Result<bool, Stop> {
        use std::os::fd::AsFd;
        if notification.number as u64 != CALL_LOG {
            return Ok(false);
        }
        let (file, id) = (self.log.file().as_fd(), notification.id);
        let served = self.process.listener.answer_with_file(id, file, LOG_FD as i32);
        served.map_err(|error| self.lost("handing over its log", &error))?;
        Ok(true)
    }
}
