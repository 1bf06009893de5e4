//! The answers to calls, one file for each family. A handler sees its node and the call, never
//! another node or the world.

pub mod chance;
pub mod clock;
pub mod descriptor;
pub mod lifecycle;
pub mod loader;
pub mod memory;
pub mod socket;
pub mod stream;

use std::fs::File;

use super::calls::{Handler as H, Treatment};
use super::node::{Node, Stage};
use super::request::Request;
use super::step::Wait;
use crate::system::Stop;

/// What becomes of a call.
#[derive(Debug)]
pub enum Answer {
    /// It returns this; a negative number is `-errno`.
    Return(i64),
    /// The kernel runs it.
    LetRun,
    /// It returns this descriptor, which stands for this file.
    File(File, i32),
    /// The node waits in it.
    Wait(Wait),
    /// The node stays in it until it boots: the preload's hello.
    Park,
    /// The node has exited with this status.
    Exit(i32),
}

/// A call that returns an error number.
pub fn errno(number: i32) -> Answer {
    Answer::Return(-i64::from(number))
}

/// Answer `request`, which the table does not refuse.
pub fn dispatch(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let Treatment::Answered(handler) = request.call.treatment else {
        // The filter lets these run; a notification means that it was not made from this table.
        return Ok(Answer::LetRun);
    };
    if node.stage == Stage::Loading && !serves_loader(handler) {
        return Err(node.not_loaded(&format!("it called {}", request.print())).into());
    }
    match handler {
        H::Socket => socket::socket(node, request),
        H::Bind => socket::bind(node, request),
        H::Listen => socket::listen(node, request),
        H::Accept => socket::accept(node, request),
        H::Connect => socket::connect(node, request),
        H::Shutdown => socket::shutdown(node, request),
        H::SetOption => socket::set_option(node, request),
        H::GetOption => socket::get_option(node, request),
        H::OwnName => socket::own_name(node, request),
        H::PeerName => socket::peer_name(node, request),
        H::Read => stream::read(node, request, 0),
        H::ReadVector => stream::read(node, request, 0),
        H::Receive => stream::read(node, request, request.int(3)),
        H::Write => stream::write(node, request, 0),
        H::WriteVector => stream::write(node, request, 0),
        H::Send => stream::write(node, request, request.int(3)),
        H::Close => descriptor::close(node, request),
        H::Control => descriptor::control(node, request),
        H::DeviceControl => descriptor::device_control(node, request),
        H::Seek => descriptor::seek(node, request),
        H::Status => descriptor::status(node, request),
        H::Open => loader::open(node, request),
        H::Access => loader::access(node, request),
        H::Execute => loader::execute(node, request),
        H::Preload => loader::preload(node, request),
        H::Map => memory::map(node, request),
        H::Break => memory::set_break(node, request),
        H::FileMask => Ok(descriptor::file_mask(node, request)),
        H::Protect => memory::protect(node, request),
        H::Advise => memory::advise(node, request),
        H::ThreadPointer => memory::thread_pointer(node, request),
        H::SignalReturn => Ok(lifecycle::signal_return(node)),
        H::Clock => clock::clock(node, request),
        H::TimeOfDay => clock::time_of_day(node, request),
        H::Time => clock::time(node, request),
        H::Random => chance::random(node, request),
        H::Exit => Ok(Answer::Exit(request.int(0) & 0xff)),
        H::Kill => lifecycle::kill(node, request),
        H::SignalAction => lifecycle::signal_action(node, request),
        H::AlternateStack => lifecycle::alternate_stack(node, request),
        H::SignalMask => lifecycle::signal_mask(node, request),
        H::ResourceLimit => lifecycle::resource_limit(node, request),
        H::Futex => lifecycle::futex(node, request),
        H::Fork => lifecycle::fork(node, request),
        H::Identity => Ok(Answer::Return(lifecycle::identity(node))),
        H::Uname => lifecycle::uname(node, request),
        H::SystemInformation => lifecycle::system_information(request),
        H::WorkingDirectory => descriptor::working_directory(request),
        H::Fixed(value) => Ok(Answer::Return(value)),
    }
}

/// What the loader calls before any code of the program runs.
fn serves_loader(handler: H) -> bool {
    matches!(
        handler,
        H::Execute
            | H::Open
            | H::Access
            | H::Read
            | H::Status
            | H::Close
            | H::Write
            | H::WriteVector
            | H::Map
            | H::Protect
            | H::Break
            | H::ThreadPointer
            | H::Preload
            | H::Exit
            | H::ResourceLimit
            | H::Identity
            | H::Random
            | H::Clock
            | H::TimeOfDay
            | H::Time
            | H::Fixed(_)
    )
}

/// An error that names the call and says what to do.
fn refuse(node: &Node, request: &Request, advice: &str) -> Stop {
    node.cannot(&format!("call {}: {advice}", request.print())).into()
}
