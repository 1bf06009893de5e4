//! Where the process of a node runs: on the processor of the thread that waits for it. One of the two
//! waits at any time, so that nothing is lost, and to switch between them there takes a tenth of what
//! it takes to wake another processor, or to wait for one that is busy. No program can tell: the calls
//! that would say are not modelled.

use nix::sched::{CpuSet, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;

/// The processor that a process was last told to run on, if it was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Processor(Option<usize>);

impl Processor {
    /// Have `pid` run where the calling thread is. A host that refuses only makes it slower.
    pub fn follow(&mut self, pid: Pid) {
        let Ok(here) = sched_getcpu() else { return };
        if self.0 == Some(here) {
            return;
        }
        let mut set = CpuSet::new();
        if set.set(here).is_ok() {
            let _ = sched_setaffinity(pid, &set);
        }
        self.0 = Some(here);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sched::sched_getaffinity;

    #[test]
    fn a_process_follows_the_thread_that_waits_for_it() {
        let allowed = sched_getaffinity(Pid::from_raw(0)).expect("it is ours");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("it is there");
        let pid = Pid::from_raw(child.id() as i32);
        let mut processor = Processor::default();
        for here in (0..CpuSet::count()).filter(|&here| allowed.is_set(here) == Ok(true)) {
            let mut one = CpuSet::new();
            one.set(here).expect("there is such a processor");
            sched_setaffinity(Pid::from_raw(0), &one).expect("it is allowed");
            processor.follow(pid);
            assert_eq!(sched_getaffinity(pid), Ok(one));
        }
        sched_setaffinity(Pid::from_raw(0), &allowed).expect("it was so before");
        child.kill().and_then(|()| child.wait()).expect("it is ours");
    }
}
