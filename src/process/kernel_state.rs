//! Where the outcome of each call is kept: whether a process that is put into a local state from outside
//! would lack something that the kernel keeps for it.

use super::calls::{Call, Handler, Handler as H, Treatment};

/// Where what a call changes is kept, and whether another process can be given it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelState {
    /// The checker answers for the kernel and keeps it in the local state, or nothing is changed.
    Virtual,
    /// The kernel keeps it and the checker knows it: a process is restored only if it has the same.
    Tracked,
    /// The kernel keeps it, and a process that has made the call is not saved.
    NotRestorable,
}

impl Handler {
    /// Where what it changes is kept.
    pub fn kernel_state(self) -> KernelState {
        match self {
            H::SignalAction | H::SignalMask => KernelState::Tracked,
            H::Map | H::Break | H::Protect | H::Advise | H::ThreadPointer => KernelState::Tracked,
            // Files are open while the loader runs alone; whoever uses one later is not saved.
            H::Close => KernelState::Tracked,
            H::SignalReturn | H::Execute => KernelState::NotRestorable,
            H::AlternateStack
            | H::Socket
            | H::Bind
            | H::Listen
            | H::Accept
            | H::Connect
            | H::Shutdown
            | H::SetOption
            | H::GetOption
            | H::OwnName
            | H::PeerName
            | H::Read
            | H::ReadVector
            | H::Receive
            | H::Write
            | H::WriteVector
            | H::Send
            | H::Control
            | H::DeviceControl
            | H::Seek
            | H::Status
            | H::Open
            | H::Access
            | H::Clock
            | H::TimeOfDay
            | H::Time
            | H::Random
            | H::Exit
            | H::Kill
            | H::ResourceLimit
            | H::Futex
            | H::Fixed(_)
            | H::Uname
            | H::SystemInformation
            | H::WorkingDirectory
            | H::Identity
            | H::Fork
            | H::Preload => KernelState::Virtual,
        }
    }
}

impl Call {
    /// Where what it changes is kept; `None` for a call that is refused.
    pub fn kernel_state(&self) -> Option<KernelState> {
        match self.treatment {
            // They read a file at a place of their own, or take up a call that was interrupted.
            Treatment::Allowed => Some(KernelState::Virtual),
            Treatment::Answered(handler) => Some(handler.kernel_state()),
            Treatment::Refused(_) => None,
        }
    }
}
