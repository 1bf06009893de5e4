//! What is said to be dead is dead: real programs, stopped behind every system call that they make,
//! have all of it overwritten with garbage, and must still do what they do when left alone.

#[path = "liveness/traced.rs"]
mod traced;

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use cmc::process::liveness::{RegisterSet, Stack, Start, Walker, modules};

use traced::Traced;

/// Numbers without order: xorshift64*.
struct Garbage(u64);

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
struct Run {
    output: Vec<u8>,
    status: i32,
}

/// How much was overwritten.
#[derive(Debug, Default)]
struct Tally {
    stops: usize,
    complete: usize,
    frames: usize,
    bytes: u64,
    dead: u64,
    preserved: usize,
}

struct Subject {
    program: PathBuf,
    arguments: Vec<String>,
    input: PathBuf,
}

impl Subject {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }

    fn run(&self, folder: &Path, mut at: impl FnMut(&Traced, &traced::Stop)) -> Run {
        let path = folder.join("output");
        let output = File::create(&path).expect("a file");
        let input = File::open(&self.input).expect("an input");
        let mut traced = Traced::start(self.command(), input, output);
        let status = loop {
            match traced.next() {
                Ok(stop) => at(&traced, &stop),
                Err(status) => break status,
            }
        };
        Run { output: fs::read(path).expect("the output"), status }
    }

    /// The run with everything overwritten that is dead, and what `also` adds to it.
    fn spoiled(
        &self,
        folder: &Path,
        seed: u64,
        mut also: impl FnMut(&mut Stack, &Start),
    ) -> (Run, Tally) {
        let mut garbage = Garbage(seed);
        let mut tally = Tally::default();
        let mut walker: Option<Walker> = None;
        let run = self.run(folder, |traced, stop| {
            let registers = &stop.registers;
            let number = registers.orig_rax as i64;
            let remapped = [libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mprotect];
            if remapped.contains(&number) || walker.is_none() {
                walker =
                    Some(Walker::new(modules(&traced.memory().mappings().unwrap_or_default())));
            }
            let passed =
                [libc::SYS_execve, libc::SYS_rt_sigreturn, libc::SYS_vfork, libc::SYS_clone];
            let Some(walker) = walker.as_ref().filter(|_| !passed.contains(&number)) else {
                return;
            };
            let start = Start { ip: registers.rip, sp: registers.rsp, bp: registers.rbp };
            let read = |address, buffer: &mut [u8]| traced.memory().read(address, buffer);
            let mut stack = walker.stack(start, read);
            also(&mut stack, &start);
            tally.stops += 1;
            tally.complete += usize::from(stack.complete);
            tally.frames += stack.frames.len();
            tally.preserved += stack.dead_registers.and(RegisterSet::PRESERVED).iter().count();
            let top = stack.frames.last().map_or(start.sp, |frame| frame.cfa);
            tally.bytes += top - start.sp;
            for Range { start: from, end } in stack.dead.clone() {
                tally.dead += end - from.max(start.sp).min(end);
                let bytes: Vec<u8> = (from..end).map(|_| garbage.next() as u8).collect();
                assert!(traced.memory().write(from, &bytes), "{from:x}..{end:x}");
            }
            // The result of the call is there already.
            let dead = stack
                .dead_registers
                .without(RegisterSet::of(&[cmc::process::liveness::Register::RAX]));
            traced.spoil(stop, dead, || garbage.next());
        });
        (run, tally)
    }
}

#[test]
fn try_out() {
    let Ok(line) = std::env::var("LIVENESS_TRY") else { return };
    let folder = PathBuf::from("/tmp/lv-try");
    fs::create_dir_all(&folder).unwrap();
    let mut words = line.split(' ').map(str::to_owned);
    let input = folder.join("input");
    let mut file = File::create(&input).unwrap();
    for number in 0..200 {
        writeln!(file, "line {} of many {}", number * 7919 % 1000, number).unwrap();
    }
    let subject =
        Subject { program: words.next().unwrap().into(), arguments: words.collect(), input };
    let alone = subject.run(&folder, |_, _| {});
    println!("status {} output {}", alone.status, alone.output.len());
    for seed in 1..4 {
        let (run, tally) = subject.spoiled(&folder, seed, |_, _| {});
        println!("{tally:?} same {}", run == alone);
        if run != alone {
            println!(
                "{} {}",
                run.status,
                String::from_utf8_lossy(&run.output[..run.output.len().min(500)])
            );
        }
    }
}
