//! Programs to disturb, and how they are run: alone, or with garbage where nothing is said to matter.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use cmc::process::liveness::{Module, Register, RegisterSet, Stack, Start, Walker, modules};

use crate::traced::{Stop, Traced};

/// Numbers without order: xorshift64*.
pub struct Garbage(pub u64);

impl Garbage {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// What a run of a program is known by.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    output: Vec<u8>,
    status: i32,
}

/// How much was overwritten, behind reads of the input.
#[derive(Debug, Default)]
pub struct Tally {
    /// Stops behind any call.
    pub stops: usize,
    /// Stops behind reads of the input.
    pub waits: usize,
    /// Of these, those at which all frames were found.
    pub complete: usize,
    /// Frames at them.
    pub frames: usize,
    /// Bytes of frames, and those that were dead.
    pub bytes: u64,
    /// See `bytes`.
    pub dead: u64,
    /// Registers of [`Register::PRESERVED`] that were dead.
    pub preserved: usize,
}

/// A program with what it is given.
pub struct Subject {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its standard input.
    pub input: PathBuf,
    /// Where its output goes.
    pub output: PathBuf,
}

impl Subject {
    fn run(&self, mut at: impl FnMut(&Traced, &Stop)) -> Run {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        let output = File::create(&self.output).expect("a file");
        let input = File::open(&self.input).expect("an input");
        let mut traced = Traced::start(command, input, output);
        let status = loop {
            match traced.next() {
                Ok(stop) => at(&traced, &stop),
                Err(status) => break status,
            }
        };
        Run { output: fs::read(&self.output).expect("the output"), status }
    }

    /// The run that nobody disturbs.
    pub fn alone(&self) -> Run {
        self.run(|_, _| {})
    }

    /// The run with everything overwritten that is dead.
    pub fn spoiled(&self, garbage: Garbage) -> (Run, Tally) {
        self.spoiled_by(garbage, |_| {}, |_, _| {})
    }

    /// The same with files as `known` changes them, and with what `also` adds to what is dead.
    pub fn spoiled_by(
        &self,
        mut garbage: Garbage,
        known: impl Fn(&mut Vec<Module>),
        mut also: impl FnMut(&[Module], &mut Stack),
    ) -> (Run, Tally) {
        let mut tally = Tally::default();
        let mut mapped: Option<(Vec<Module>, Walker)> = None;
        let run = self.run(|traced, stop| {
            let registers = &stop.registers;
            let number = registers.orig_rax as i64;
            if [libc::SYS_mmap, libc::SYS_munmap].contains(&number) || mapped.is_none() {
                let mut modules = modules(&traced.memory().mappings().expect("a program"));
                known(&mut modules);
                mapped = Some((modules.clone(), Walker::new(modules)));
            }
            let (modules, walker) = mapped.as_ref().expect("just made");
            // These go on elsewhere, or twice.
            let passed =
                [libc::SYS_execve, libc::SYS_rt_sigreturn, libc::SYS_vfork, libc::SYS_clone];
            if passed.contains(&number) {
                return;
            }
            let start = Start { ip: registers.rip, sp: registers.rsp, bp: registers.rbp };
            let read = |address, buffer: &mut [u8]| traced.memory().read(address, buffer);
            let mut stack = walker.stack(start, read);
            also(modules, &mut stack);
            tally.stops += 1;
            if number == libc::SYS_read && registers.rdi == 0 {
                tally.add(&stack, start.sp);
            }
            for range in &stack.dead {
                let bytes: Vec<u8> = range.clone().map(|_| garbage.next() as u8).collect();
                assert!(traced.memory().write(range.start, &bytes), "{range:x?}");
            }
            // The result of the call is there already.
            let result = RegisterSet::of(&[Register::RAX]);
            traced.spoil(stop, stack.dead_registers.without(result), || garbage.next());
        });
        (run, tally)
    }
}

impl Tally {
    fn add(&mut self, stack: &Stack, sp: u64) {
        self.waits += 1;
        self.complete += usize::from(stack.complete);
        self.frames += stack.frames.len();
        self.bytes += stack.frames.last().map_or(0, |frame| frame.cfa - sp);
        // The red zone is of no frame.
        let own = stack.dead.iter().map(|range| range.end.max(sp) - range.start.max(sp));
        self.dead += own.sum::<u64>();
        let preserved = RegisterSet::of(&Register::PRESERVED);
        self.preserved += stack.dead_registers.and(preserved).iter().count();
    }
}

/// Compile `source` with `compiler` and `options`; `None` if the compiler is not there.
pub fn compiled(folder: &Path, compiler: &str, options: &[&str], source: &str) -> Option<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/liveness");
    let name = [&[compiler], options, &[source]].concat().join("").replace(['/', '.'], "");
    let program = folder.join(name);
    let mut command = Command::new(compiler);
    command.args(options).arg("-o").arg(&program).arg(sources.join(source));
    match command.output() {
        Ok(done) => {
            let text = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{command:?}: {text}");
            Some(program)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{command:?}: {error}"),
    }
}
