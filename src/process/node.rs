//! A running node: its process, what the checker keeps for it, and the loop that answers its calls
//! until it waits or exits. The answers depend on the node alone (its number, boot, clock and what it
//! did before), never on other nodes.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::wait::WaitStatus;

use super::arena::Placement;
use super::call_log::CallLog;
use super::calls::{self, Treatment};
use super::config::Patience;
use super::contract;
use super::handle::{self, Answer};
use super::launch::Process;
use super::layout::Layout;
use super::local::Local;
use super::memory::{Mapping, Memory};
use super::notify::{Door, Notification};
use super::page_list::PageTable;
use super::phases::Phases;
use super::plain;
use super::registers::{Halted, Registers};
use super::request::{Request, hexadecimal, place};
use super::snapshot::{Snapshot, Unreadable};
use super::step::{Answers, Cause, Event, Input, Query, Rest, Wait, WaitKind};
use super::twin;
use crate::error::Error;
use crate::limits;
use crate::system::{Breach, Stop};

/// What is fixed for a node over all its runs.
#[derive(Debug)]
pub struct Setting {
    /// Its number.
    pub number: usize,
    /// The program, as the model file says it.
    pub program: String,
    /// The ports of all nodes, by node number.
    pub ports: Vec<u16>,
    /// Exit statuses that break no rule.
    pub may_exit: Vec<i32>,
    /// The program's entry point as linked.
    pub entry: u64,
    /// The directory that relative paths start from.
    pub directory: std::path::PathBuf,
    /// The preload on the host.
    pub preload: std::path::PathBuf,
    /// When the node counts as silent.
    pub patience: Patience,
    /// Set when the user wants to stop.
    pub interrupt: Arc<AtomicBool>,
    /// Where its calls are counted.
    pub phases: Arc<Phases>,
}

/// A node that runs.
#[derive(Debug)]
pub struct Node {
    pub(super) setting: Arc<Setting>,
    pub(super) process: Process,
    pub(super) memory: Memory,
    /// What the kernel would keep for it.
    pub local: Local,
    /// What it is told when it asks.
    pub answers: Answers,
    /// What it has asked for in this step, in order, each once.
    pub asked: Vec<Query>,
    /// What the loader wrote and then sealed before any code of the program ran. It holds facts about
    /// the host, such as the number of the processor, and stays out of the digest of the memory as
    /// long as it stays sealed.
    pub sealed: Arc<[Mapping]>,
    /// What is mapped where; `None` until somebody asks, and again once it has changed.
    pub layout: Option<Arc<Layout>>,
    /// The same history in a second process, whose heap lies otherwise: what the program does must
    /// not depend on that.
    pub twin: Option<Box<Node>>,
    /// Where its heap places what it gives, from its boot on.
    pub placement: Placement,
    /// The same history in a process that is left alone at every rest: where a normal form is made, it
    /// must do the same.
    pub plain: Option<Box<Node>>,
    /// Whether its memory was seen to hold an address that cannot be followed: from then on it keeps its
    /// raw form, since one that agrees with its twin by chance would merge what is not equal.
    pub hides: bool,
    /// The last complete report, if there was one.
    pub report: Option<Vec<u8>>,
    /// Pages that it held when it was last known what it held: most are so still.
    pub(super) known: Option<Arc<PageTable>>,
    pub(super) events: Vec<Event>,
    pub(super) stage: Stage,
    /// Bytes that it has printed in this step.
    pub(super) printed: usize,
    /// What the process does without asking.
    pub(super) log: CallLog,
    /// Whether it may.
    pub(super) inside: bool,
    /// Its page tables, once they were asked for.
    pagemap: Option<File>,
    /// The thread that has left it stopped.
    stopped: Option<ThreadId>,
    pub(super) hello: Option<Notification>,
    pub(super) blocked: Option<(Request<'static>, Wait)>,
}

/// How far the start of a node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The loader runs; the preload has not said hello.
    Loading,
    /// The program runs.
    Running,
}

impl Node {
    /// Take over a process that was just started.
    pub fn new(setting: Arc<Setting>, process: Process) -> Result<Self, Error> {
        let log = CallLog::new().map_err(|error| {
            Error::host("memfd_create", &error, "free memory or raise the limit of open files")
        })?;
        Ok(Node {
            setting,
            memory: Memory::new(process.pid()),
            process,
            local: Local::at_start(),
            answers: Answers::default(),
            asked: Vec::new(),
            sealed: Arc::default(),
            layout: None,
            pagemap: None,
            twin: None,
            plain: None,
            hides: false,
            placement: Placement::First,
            report: None,
            known: None,
            events: Vec::new(),
            stage: Stage::Loading,
            printed: 0,
            log,
            inside: false,
            stopped: None,
            hello: None,
            blocked: None,
        })
    }

    /// Its number.
    pub fn number(&self) -> usize {
        self.setting.number
    }

    /// The load bias: where the program runs minus where it was linked.
    pub fn bias(&self) -> u64 {
        self.process.entry.wrapping_sub(self.setting.entry)
    }

    /// The memory of the process.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The process.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Kill it and its twin, and wait for neither.
    pub fn kill(&self) {
        self.process.kill();
        self.twin.iter().chain(&self.plain).for_each(|other| other.process.kill());
    }

    /// Run the loader, up to the preload's hello, where the node stays until it boots.
    pub fn run_to_hello(&mut self) -> Result<(), Stop> {
        let mut watch = Watch::new(self.setting.patience);
        while self.stage == Stage::Loading {
            match self.next(&mut watch)? {
                Some(Happening::Call(call)) if self.serve_log(&call)? => {}
                Some(Happening::Call(call)) => drop(self.serve(call, false)?),
                Some(Happening::Death(status)) => return Err(self.died(status)),
                None => {}
            }
        }
        Ok(())
    }

    /// Make a copy of this node, which has said hello and not run since. Both stand at a hello.
    pub fn fork(&mut self) -> Result<Node, Stop> {
        let hello = self
            .hello
            .take()
            .ok_or_else(|| Error::Internal("a fork of a node that runs".into()))?;
        self.process.follow();
        self.answer(&hello, contract::HELLO_FORK as i64)?;
        let me = self.process.pid().as_raw();
        let mut watch = Watch::new(self.setting.patience);
        let mut copy: Option<Node> = None;
        while self.hello.is_none() || copy.as_ref().is_none_or(|copy| copy.hello.is_none()) {
            let notification = match self.next(&mut watch)? {
                Some(Happening::Call(notification)) => notification,
                Some(Happening::Death(status)) => return Err(self.died(status)),
                None => continue,
            };
            let number = notification.number;
            let arguments = notification.arguments;
            if notification.pid != me && copy.is_none() {
                copy = Some(self.copy(notification.pid)?);
            }
            let fork = number == libc::SYS_clone && arguments[0] == contract::FORK_FLAGS;
            let arm = number == libc::SYS_prctl
                && arguments[..2] == [libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64];
            match &mut copy {
                _ if fork && notification.pid == me => self.let_run(&notification)?,
                Some(copy) if arm && notification.pid != me => {
                    copy.give_log(&notification)?;
                    copy.let_run(&notification)?;
                }
                _ if number as u64 != contract::CALL_HELLO => {
                    return Err(self.cannot("it did not fork as the preload does").into());
                }
                Some(copy) if notification.pid != me => copy.hello = Some(notification),
                _ => self.hello = Some(notification),
            }
        }
        copy.ok_or_else(|| Error::Internal("a fork without a copy".into()).into())
    }

    fn copy(&self, pid: i32) -> Result<Node, Stop> {
        let process = self.process.adopt(nix::unistd::Pid::from_raw(pid))?;
        Ok(Node {
            local: self.local.clone(),
            stage: self.stage,
            sealed: Arc::clone(&self.sealed),
            layout: self.layout.clone(),
            ..Node::new(Arc::clone(&self.setting), process)?
        })
    }

    /// Boot, or end the wait, with `cause`, and run to the next rest; or only until `cut` effects
    /// are done, after which the node is of no more use. Its companions must do the same.
    pub fn run(
        &mut self,
        cause: &Cause,
        answers: Answers,
        cut: Option<usize>,
    ) -> Result<(Vec<Event>, Rest), Stop> {
        let ran = self.run_alone(cause, answers, cut);
        if let (Some(plain), None) = (&mut self.plain, cut) {
            let other = plain.run_alone(cause, answers, cut);
            plain::compare(self, cause, &ran, other)?;
        }
        let ran = ran?;
        if let (Some(twin), None) = (&mut self.twin, cut) {
            let other = twin.run_alone(cause, answers, cut);
            twin::compare(self, &ran, other)?;
        }
        Ok(ran)
    }

    fn run_alone(
        &mut self,
        cause: &Cause,
        answers: Answers,
        cut: Option<usize>,
    ) -> Result<(Vec<Event>, Rest), Stop> {
        self.process.follow();
        // Whoever is to be stopped behind an effect must not run on.
        let inside = self.inside && cut.is_none();
        self.answers = answers;
        if let Cause::Input(_) = cause {
            // What was asked on the way to the hello belongs to the boot.
            self.asked.clear();
        }
        self.printed = 0;
        match cause {
            Cause::Boot(durable) => {
                self.wake()?;
                self.local.find_record(durable.as_deref());
                let hello = self.hello.take();
                let hello = hello
                    .ok_or_else(|| Error::Internal("a node booted before its hello".into()))?;
                self.arm(inside)?;
                self.answer(&hello, self.placement.answer())?;
            }
            Cause::Input(input) => self.end_wait(input, inside)?,
        }
        self.run_on(cut, inside)
    }

    fn end_wait(&mut self, input: &Input, inside: bool) -> Result<(), Stop> {
        let (request, wait) = self.blocked.take().ok_or_else(|| {
            Error::Internal("a node that does not wait was given an input".into())
        })?;
        let result = match (wait.kind, input) {
            (WaitKind::Accept, Input::Accepted { synthetic }) => {
                handle::socket::accepted(self, &request, wait.fd, *synthetic)?
            }
            (WaitKind::Read, Input::Bytes(bytes)) => {
                let result = handle::stream::arrived(&request, bytes);
                // Where the bytes cannot be copied they stay in line, as in the kernel.
                if result > 0 {
                    self.events.push(Event::Took);
                }
                result
            }
            (WaitKind::Read, Input::Tick) => handle::stream::arrived(&request, b"T"),
            (_, Input::Expired) => -i64::from(libc::EAGAIN),
            _ => return Err(Error::Internal("an input does not fit its wait".into()).into()),
        };
        self.arm(inside)?;
        match self.stopped {
            None => self.answer(&request.notification, result),
            Some(_) => Ok(self.halt()?.answer(result)?),
        }
    }

    /// The call that it waits in, in full; nothing if it does not wait.
    pub fn waits_in(&self) -> Vec<u64> {
        self.blocked.as_ref().map_or_else(Vec::new, |(request, _)| request.words())
    }

    /// Stop this node, which waits; [`Node::go_on`] lets it enter its wait anew. One that another
    /// thread has left stopped cannot be stopped here.
    pub fn halt(&mut self) -> Result<Halted, Error> {
        let pid = self.process.pid();
        match self.stopped.take() {
            None => {
                self.process.follow();
                Halted::new(pid)
            }
            Some(thread) if thread == std::thread::current().id() => Ok(Halted::again(pid)),
            Some(_) => Err(self.cannot("another thread has stopped it")),
        }
    }

    /// Leave the node stopped until it is halted again or runs, on this thread: to let it enter its wait
    /// for nothing takes longer than most steps.
    pub fn stay(&mut self, halted: Halted) {
        halted.leave();
        self.stopped = Some(std::thread::current().id());
    }

    /// Whether this thread can stop it, or has.
    pub fn is_at_hand(&self) -> bool {
        self.stopped.is_none_or(|thread| thread == std::thread::current().id())
    }

    /// Let the node, and its twin, wait in their calls if they were left stopped.
    pub fn wake(&mut self) -> Result<(), Stop> {
        if self.stopped.is_some() {
            let halted = self.halt()?;
            self.go_on(halted)?;
        }
        self.twin.as_deref_mut().map_or(Ok(()), Node::wake)
    }

    /// Let the node enter its wait anew.
    pub fn go_on(&mut self, halted: Halted) -> Result<(), Stop> {
        halted.resume()?;
        self.reenter()
    }

    /// Read this node, which is stopped with `registers`.
    pub fn snapshot(&mut self, registers: Registers) -> Result<Snapshot, Stop> {
        let layout = self.layout()?;
        if self.pagemap.is_none() {
            let pagemap = self.memory.pagemap();
            self.pagemap = Some(pagemap.map_err(|error| self.lost("reading its pages", &error))?);
        }
        let pagemap = self.pagemap.as_ref().expect("it was opened above");
        let mut snapshot = Snapshot::read(self.memory, pagemap, registers, &layout, &self.sealed);
        if let Ok(snapshot) = &mut snapshot {
            snapshot.compare_with(self.known.clone());
        }
        snapshot.map_err(|why| match why {
            Unreadable::Gone => self.cannot("its memory cannot be read").into(),
            Unreadable::BrokenArena => {
                self.cannot("it has overwritten the head of its heap").into()
            }
        })
    }

    /// What is mapped where.
    pub fn layout(&mut self) -> Result<Arc<Layout>, Stop> {
        if let Some(layout) = &self.layout {
            return Ok(Arc::clone(layout));
        }
        let layout = Layout::of(self.memory);
        let layout = Arc::new(layout.ok_or_else(|| self.cannot("its memory cannot be read"))?);
        Ok(Arc::clone(self.layout.insert(layout)))
    }

    /// The node was stopped, so it has entered its call anew: take the notification in place of the
    /// old one.
    fn reenter(&mut self) -> Result<(), Stop> {
        let mut watch = Watch::new(self.setting.patience);
        let notification = loop {
            match self.next(&mut watch)? {
                Some(Happening::Call(notification)) => break notification,
                Some(Happening::Death(status)) => return Err(self.died(status)),
                // A busy machine: it has not come back to its call yet.
                None => {}
            }
        };
        let parked = match (&mut self.hello, &mut self.blocked) {
            (Some(hello), _) => hello,
            (None, Some((request, _))) => &mut request.notification,
            (None, None) => return Err(Error::Internal("a node at rest waits".into()).into()),
        };
        if (Notification { id: parked.id, ..notification }) != *parked {
            return Err(self.cannot("it left its wait while its registers were read").into());
        }
        *parked = notification;
        Ok(())
    }

    /// The kernel changes something by `call` that it can give no other process.
    pub(super) fn mark_lasting(&mut self, call: &'static str) {
        self.local.lasting.get_or_insert(call);
    }

    /// A sentence about this node that ends the check.
    pub(super) fn cannot(&self, text: &str) -> Error {
        Error::Node {
            node: self.setting.number,
            text: format!("({}) {text}", self.setting.program),
        }
    }

    /// A broken built-in rule.
    pub(super) fn breach(&self, property: &str, why: String) -> Stop {
        Stop::Violated(Breach {
            property: property.into(),
            why: format!("node {} ({}) {why}", self.setting.number, self.setting.program),
        })
    }

    fn run_on(&mut self, cut: Option<usize>, inside: bool) -> Result<(Vec<Event>, Rest), Stop> {
        let mut watch = Watch::new(self.setting.patience);
        let (mut seen, mut effects) = (self.events.len(), 0);
        loop {
            let Some(happening) = self.next(&mut watch)? else { continue };
            if happening.leaves_a_log() {
                let done = self.take_log()?;
                for entry in &done.entries {
                    self.repeat(entry)?;
                    self.count_effects(&mut seen, &mut effects)?;
                }
                self.compare_kinds(done.kinds)?;
                self.setting.phases.note_call(done.entries.len());
            }
            let rest = match happening {
                Happening::Call(notification) => self.serve(notification, inside)?,
                Happening::Death(status) => return Err(self.died(status)),
            };
            self.count_effects(&mut seen, &mut effects)?;
            let rest = match cut {
                Some(cut) if effects >= cut => Some(Rest::Cut),
                _ => rest,
            };
            if let Some(rest) = rest {
                self.check_records(&rest)?;
                return Ok((std::mem::take(&mut self.events), rest));
            }
        }
    }

    /// Count the effects among the events from `seen` on; too many are a broken rule.
    fn count_effects(&self, seen: &mut usize, effects: &mut usize) -> Result<(), Stop> {
        *effects += self.events[*seen..].iter().filter(|event| event.is_effect()).count();
        *seen = self.events.len();
        if *effects <= limits::EFFECTS.value {
            return Ok(());
        }
        Err(self.breach(
            "cap:effects",
            format!(
                "made more than {} dials, writes, closes and records in one step, without a wait",
                limits::EFFECTS.value
            ),
        ))
    }

    /// Note that the node asks for something, and answer it.
    pub(super) fn ask(&mut self, query: Query) -> i64 {
        if !self.asked.contains(&query) {
            self.asked.push(query);
        }
        self.answers.to(query)
    }

    fn let_run(&self, notification: &Notification) -> Result<(), Stop> {
        let sent = self.process.listener.let_run(notification.id);
        sent.map_err(|error| self.lost("answering a call", &error))
    }

    /// Answer one call; a rest if the node has come to one. What it may go on to answer `inside` of
    /// its process is said before.
    fn serve(&mut self, notification: Notification, inside: bool) -> Result<Option<Rest>, Stop> {
        let request = self.request(notification)?;
        let answer = handle::dispatch(self, &request)?;
        if matches!(answer, Answer::Return(_) | Answer::LetRun) {
            self.arm(inside)?;
        }
        match answer {
            Answer::Return(result) => self.answer(&notification, result)?,
            Answer::LetRun => self.let_run(&notification)?,
            Answer::File(file, fd) => {
                use std::os::fd::AsFd;
                let sent =
                    self.process.listener.answer_with_file(notification.id, file.as_fd(), fd);
                sent.map_err(|error| self.lost("handing over a file", &error))?;
            }
            Answer::Wait(wait) => {
                self.blocked = Some((request, wait));
                return Ok(Some(Rest::Waiting(wait, request.words())));
            }
            Answer::Park => self.hello = Some(notification),
            Answer::Exit(status) => return self.exited(status).map(Some),
        }
        Ok(None)
    }

    fn request(&self, notification: Notification) -> Result<Request<'static>, Stop> {
        let number = notification.number;
        let place = || place(self.memory, notification.instruction);
        let refuse = |text: String| Err(Stop::from(self.cannot(&text)));
        match notification.door {
            Door::Native => {}
            Door::X32 => {
                return refuse(format!(
                    "call number {number:#x} has the x32 bit, {}: x32 calls are not modelled; build \
                     the program for x86-64",
                    place()
                ));
            }
            Door::Foreign => {
                return refuse(format!(
                    "call number {number} through int 0x80 or another foreign door, {}: 32-bit calls \
                     are not modelled; use the 64-bit calls of libc",
                    place()
                ));
            }
        }
        match calls::find(number) {
            None => refuse(format!(
                "call number {number} ({}), {}, arguments {}: not modelled; configure the program \
                     not to use it, or replace it by a call listed in docs/CALLS.md",
                libseccomp::ScmpSyscall::from(number as i32)
                    .get_name_by_arch(libseccomp::ScmpArch::X8664)
                    .unwrap_or_else(|_| "unknown".into()),
                place(),
                hexadecimal(&notification.arguments)
            )),
            Some(call) => {
                let request = Request { call, notification, memory: self.memory, logged: None };
                match call.treatment {
                    Treatment::Refused(advice) => {
                        refuse(format!("call {}: not modelled: {advice}", request.print()))
                    }
                    _ => Ok(request),
                }
            }
        }
    }

    fn answer(&mut self, notification: &Notification, result: i64) -> Result<(), Stop> {
        let sent = self.process.listener.answer(notification.id, result);
        sent.map_err(|error| self.lost("answering a call", &error))
    }

    pub(super) fn lost(&self, what: &str, error: &std::io::Error) -> Stop {
        Stop::from(self.cannot(&format!(
            "{what} failed: {error}; something outside the checker has stopped or killed it"
        )))
    }

    fn exited(&mut self, status: i32) -> Result<Rest, Stop> {
        if self.stage == Stage::Loading {
            // The loader says what it lacks; else the preload is to blame.
            let said = self.last_words();
            return Err(match said.is_empty() {
                true => self.not_loaded(&format!("it exited with status {status}")),
                false => self.cannot(&format!(
                    "it could not be loaded{said}; install what is missing, or link it again on this \
                     host"
                )),
            }
            .into());
        }
        if !self.setting.may_exit.contains(&status) {
            let output = self.last_words();
            return Err(self.breach(
                "exit",
                format!("exited with status {status}, which may_exit does not list{output}"),
            ));
        }
        Ok(Rest::Exited)
    }

    fn died(&mut self, status: WaitStatus) -> Stop {
        match status {
            WaitStatus::Signaled(_, nix::sys::signal::Signal::SIGKILL, _) => self
                .cannot(
                    "it was killed by SIGKILL from outside: perhaps the host ran out of memory; \
                     check with fewer nodes at a time or more memory",
                )
                .into(),
            WaitStatus::Signaled(_, signal, _) => self.killed_by(signal as i32),
            other => self.cannot(&format!("it is gone without an exit call: {other:?}")).into(),
        }
    }

    /// The node dies of signal `number`.
    pub(super) fn killed_by(&mut self, number: i32) -> Stop {
        let name = nix::sys::signal::Signal::try_from(number)
            .map_or_else(|_| format!("signal {number}"), |signal| signal.as_str().to_owned());
        if self.stage == Stage::Loading {
            return self.not_loaded(&format!("it died of {name}")).into();
        }
        let output = self.last_words();
        self.breach("signal", format!("died of {name}{output}"))
    }

    /// The node did something although the preload is not there.
    pub(super) fn not_loaded(&self, what: &str) -> Error {
        self.cannot(&format!(
            "{what} before cmc-preload.so was there{}: the preload {} is missing, was replaced, or \
             cannot be loaded into this program; reinstall cmc, or run `make all`",
            self.last_words(),
            self.setting.preload.display()
        ))
    }

    /// What the node printed in this step, for a message.
    fn last_words(&self) -> String {
        let printed = self.events.iter().filter_map(|event| match event {
            Event::Printed { bytes, .. } => Some(&bytes[..]),
            _ => None,
        });
        let text = printed.collect::<Vec<_>>().concat();
        let text = String::from_utf8_lossy(&text);
        match text.trim_end() {
            "" => String::new(),
            text => format!(" (it printed: {text:?})"),
        }
    }

    /// At rest no record may be half written.
    fn check_records(&self, rest: &Rest) -> Result<(), Stop> {
        let records = [
            ("report (descriptor 3)", &self.local.report),
            ("durable record (descriptor 193)", &self.local.durable),
        ];
        for (name, assembly) in records {
            if let (Some((announced, came)), Rest::Waiting(..)) = (assembly.pending(), rest) {
                return Err(self
                    .cannot(&format!(
                        "its {name} is incomplete while it waits: the length byte says {announced}, \
                         {came} bytes came; write the length byte and as many bytes, at most 255"
                    ))
                    .into());
            }
        }
        Ok(())
    }

    /// The next call, or the end of the process; `None` when it is time to look again.
    fn next(&mut self, watch: &mut Watch) -> Result<Option<Happening>, Stop> {
        use std::os::fd::AsFd;
        if self.setting.interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted.into());
        }
        if watch.is_due() {
            self.check_silence(watch)?;
        }
        let mut ready = [
            PollFd::new(self.process.listener.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.process.life(), PollFlags::POLLIN),
        ];
        match poll(&mut ready, PollTimeout::from(Watch::PERIOD_MS)) {
            Ok(0) | Err(nix::Error::EINTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(self.lost("waiting for a call", &error.into())),
        }
        let has = |fd: &PollFd<'_>| fd.revents().is_some_and(|e| e.contains(PollFlags::POLLIN));
        if has(&ready[0]) {
            let received = self.process.listener.receive();
            let received = received.map_err(|error| self.lost("receiving a call", &error))?;
            return Ok(received.map(Happening::Call));
        }
        if has(&ready[1]) {
            return Ok(Some(Happening::Death(self.process.reap()?)));
        }
        Ok(None)
    }

    fn check_silence(&self, watch: &mut Watch) -> Result<(), Stop> {
        let patience = self.setting.patience;
        let now = self.process.processor_time().unwrap_or(0);
        let used = Duration::from_nanos(now.saturating_sub(*watch.processor.get_or_insert(now)));
        let waited = watch.start.elapsed();
        if used < patience.cpu && waited < patience.wall {
            return Ok(());
        }
        let what = if used >= patience.cpu {
            format!("spinning: {:.1} s of processor time", used.as_secs_f64())
        } else {
            let call = std::fs::read_to_string(format!("/proc/{}/syscall", self.process.pid()));
            let number = call.ok().and_then(|text| text.split(' ').next()?.parse::<i64>().ok());
            let name = number.and_then(calls::find).map_or("no call that is known", |c| c.name);
            format!("blocked in {name}: {:.0} s of wall time", waited.as_secs_f64())
        };
        Err(self
            .cannot(&format!(
                "silent, {what} without a wait or an exit; if it needs longer raise [limits] \
                 cpu_seconds or wall_seconds in the model file"
            ))
            .into())
    }
}

enum Happening {
    Call(Notification),
    Death(WaitStatus),
}

impl Happening {
    /// Whether the process was at a place between two instructions of the program; one that is killed
    /// from outside may be anywhere.
    fn leaves_a_log(&self) -> bool {
        !matches!(
            self,
            Happening::Death(WaitStatus::Signaled(_, nix::sys::signal::Signal::SIGKILL, _))
        )
    }
}

/// Looks after the time of one step, without asking the kernel at every call.
struct Watch {
    start: Instant,
    /// Processor time of the node when it was first looked at.
    processor: Option<u64>,
    next: Instant,
}

impl Watch {
    const PERIOD_MS: u16 = 100;

    fn new(patience: Patience) -> Self {
        let start = Instant::now();
        let period = Duration::from_millis(Self::PERIOD_MS.into());
        Watch { start, processor: None, next: start + period.min(patience.cpu).min(patience.wall) }
    }

    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = now >= self.next;
        if due {
            self.next = now + Duration::from_millis(Self::PERIOD_MS.into());
        }
        due
    }
}
