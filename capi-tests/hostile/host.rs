//! Hosts that refuse a call which the command needs: the message names the call and the remedy.

use std::process::Command;

use crate::checker::{CMC, PATIENCE, Running};
use crate::folder::{Folder, root};

/// SECCOMP_FILTER_FLAG_NEW_LISTENER
const NEW_LISTENER: i64 = 8;

fn checked_where_it_is_refused(folder: &Folder, call: i64, flag: i64) -> crate::checker::Answer {
    let mut command = Command::new(folder.join("refuse"));
    command.args([call.to_string(), flag.to_string()]);
    command.args([CMC, "--model-file=kv.toml"]);
    Running::start(folder, &mut command).end(PATIENCE)
}

#[test]
fn a_host_that_refuses_a_call_is_told_which_and_what_to_do() {
    let folder = Folder::new("host");
    folder.copy_example("kv", &["kv", "kv.toml"]);
    let source = root().join("capi-tests/hostile/refuse.c");
    folder.compile("refuse", &[source.to_str().expect("the path is text")], &[]);
    // The launcher itself changes nothing.
    const UNUSED: i64 = 9999;
    assert_eq!(checked_where_it_is_refused(&folder, UNUSED, 0).code(), 0);
    let container = "in a container a";
    for (call, flag, what, remedy) in [
        (libc::SYS_ptrace, 0, "ptrace(PTRACE_TRACEME): ", "add the capability SYS_PTRACE"),
        (
            libc::SYS_seccomp,
            NEW_LISTENER,
            "seccomp(SECCOMP_FILTER_FLAG_NEW_LISTENER): ",
            "it needs Linux 5.14 or newer, and a container must allow the seccomp call",
        ),
        (libc::SYS_pidfd_open, 0, "pidfd_open: ", "it needs Linux 5.3 or newer"),
        (libc::SYS_pidfd_getfd, 0, "pidfd_getfd: ", "allow the call and add the capability"),
        (
            libc::SYS_personality,
            0,
            "personality(ADDR_NO_RANDOMIZE): ",
            "allow the personality call",
        ),
        (libc::SYS_prlimit64, 0, "setrlimit: ", "the hard limits of this session are too low"),
        (libc::SYS_process_vm_readv, 0, "process_vm_readv or process_vm_writev: ", container),
        (libc::SYS_process_vm_writev, 0, "process_vm_readv or process_vm_writev: ", container),
        (libc::SYS_memfd_create, 0, "memfd_create: ", "install libseccomp"),
        (libc::SYS_ioctl, 0, "SECCOMP_IOCTL_NOTIF_RECV: ", "Linux 5.14 or newer"),
        (libc::SYS_clone, 0, "fork: ", "free memory or raise the process limit"),
    ] {
        let answer = checked_where_it_is_refused(&folder, call, flag);
        answer.assert_refused(what, &[what, "Operation not permitted", remedy]);
        folder.assert_no_process(what);
    }
}
