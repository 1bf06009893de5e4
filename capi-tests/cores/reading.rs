//! What a caller fills in is checked field by field, and each fault says its field and its remedy.
#![allow(unsafe_code)] // structures of an older and of a newer header are read

use std::ptr::null;

use cmc::cores::abi::{CmcCore, CmcEnv};
use cmc::cores::{Core, Cores, Discipline, Env};
use cmc::error::Error;

use crate::direct::Counters;
use crate::puppet::Puppet;
use crate::scripted::{core, read, read_env, vtable};

fn env() -> CmcEnv {
    CmcEnv {
        size: size_of::<CmcEnv>(),
        nodes: 0,
        network: 0,
        drops: 0,
        dups: 0,
        crashes: 0,
        clients: [0; 8],
        max_messages: 0,
        max_replies: 0,
        max_persists: 0,
        settings_len: 0,
        settings: null(),
    }
}

/// A structure of a newer header: this library's, and a field more.
#[repr(C)]
struct Newer<T> {
    known: T,
    more: u64,
}

#[test]
fn a_core_that_says_more_than_the_library_knows_is_a_version_error_unless_it_is_zero() {
    let mut newer = Newer { known: vtable::<Puppet>(), more: 0 };
    newer.known.size = size_of::<Newer<CmcCore>>();
    // SAFETY: it has as many bytes as it says.
    let read = |newer: &Newer<CmcCore>| unsafe { Core::read((&raw const *newer).cast()) };
    assert!(read(&newer).is_ok());
    newer.more = 1 << 63;
    let Err(Error::Version(text)) = read(&newer) else { panic!("read") };
    assert!(text.contains("CmcCore of 80 bytes") && text.contains("newer library"), "{text}");
    let mut newer = Newer { known: env(), more: 0 };
    newer.known.size = size_of::<Newer<CmcEnv>>();
    // SAFETY: it has as many bytes as it says.
    let read = |newer: &Newer<CmcEnv>| unsafe { Env::read((&raw const *newer).cast()) };
    assert_eq!(read(&newer), Ok(Env::default()));
    newer.more = 1;
    assert!(matches!(read(&newer), Err(Error::Version(_))));
}

#[test]
fn what_a_shorter_structure_lacks_is_zero() {
    // Without the last field, direct_actions, it is a core all the same.
    let mut older = CmcCore { size: size_of::<CmcCore>() - 8, ..vtable::<Counters>() };
    assert!(older.direct_actions.is_some());
    assert!(!read(&older).expect("a core").is_direct());
    // Without step it is none.
    older.size = 48;
    assert_eq!(fault(&older), "core scripted: step is NULL; give the function that takes an event");
    let short = CmcEnv { size: 8, nodes: 9, drops: 3, ..env() };
    assert_eq!(read_env(&short), Ok(Env::default()));
}

#[test]
fn a_size_that_no_structure_has_is_an_argument_error() {
    for size in [0, 7, 20, 5000, usize::MAX] {
        let Err(Error::Argument(text)) = read(&CmcCore { size, ..vtable::<Puppet>() }) else {
            panic!("{size} was read")
        };
        let said =
            format!("the size of a CmcCore is {size}; set its first field to sizeof(CmcCore)");
        assert_eq!(text, said);
        assert!(matches!(read_env(&CmcEnv { size, ..env() }), Err(Error::Argument(_))));
    }
}

#[test]
fn null_is_no_core_and_the_default_environment() {
    // SAFETY: NULL may be given.
    let refused = unsafe { Core::read(null()) };
    let Err(Error::Argument(text)) = refused else { panic!("NULL was read") };
    assert_eq!(text, "the CmcCore is NULL; pass the address of one");
    // SAFETY: as above.
    assert_eq!(unsafe { Env::read(null()) }, Ok(Env::default()));
}

fn fault(core: &CmcCore) -> String {
    match read(core) {
        Err(Error::Model(text)) => text,
        other => panic!("no fault of the model: {other:?}"),
    }
}

#[test]
fn a_core_that_cannot_be_is_refused_with_its_field_and_the_remedy() {
    let good = vtable::<Puppet>();
    for state_size in [0, 65537] {
        let text = fault(&CmcCore { state_size, ..good });
        assert!(text.contains(&format!("state_size is {state_size}; a state has 1 to 65536")));
    }
    assert!(read(&CmcCore { state_size: 65536, ..good }).is_ok());
    let faults = [
        (CmcCore { durable_size: 8, ..good }, "durable_size is 8 and state_size 7"),
        (CmcCore { init: None, ..good }, "init is NULL"),
        (CmcCore { step: None, ..good }, "step is NULL"),
        (CmcCore { apply_persist: None, ..good }, "apply_persist is NULL and durable_size 2"),
        (CmcCore { durable_size: 0, ..good }, "durable_size is 0 and apply_persist is not NULL"),
        (
            CmcCore { direct_actions: vtable::<Counters>().direct_actions, ..good },
            "durable_size is 2 and direct_actions is not NULL",
        ),
    ];
    for (core, said) in faults {
        let text = fault(&core);
        assert!(text.starts_with(&format!("core scripted: {said}")), "{text}");
    }
    let nameless = CmcCore { name: null(), ..good };
    assert_eq!(read(&nameless).expect("a core").name(), "core");
    let name = read(&good).expect("a core");
    assert_eq!((name.name(), name.state_size(), name.durable_size()), ("scripted", 7, 2));
}

#[test]
fn an_environment_is_copied_and_its_zeros_are_defaults() {
    let settings = [1, 2, 3];
    let raw = CmcEnv {
        nodes: 3,
        network: 1,
        drops: 1,
        dups: 2,
        crashes: 3,
        clients: [1, 2, 3, 0, 0, 0, 0, 0],
        max_messages: 4,
        max_replies: 5,
        max_persists: 6,
        settings_len: 3,
        settings: settings.as_ptr(),
        ..env()
    };
    let expected = Env {
        nodes: 3,
        network: Discipline::Bag,
        drops: 1,
        dups: 2,
        crashes: 3,
        clients: raw.clients,
        max_messages: 4,
        max_replies: 5,
        max_persists: 6,
        settings: settings.to_vec(),
    };
    assert_eq!(read_env(&raw), Ok(expected));
    let default = Env::default();
    assert_eq!((default.nodes, default.network), (1, Discipline::Fifo));
    assert_eq!((default.max_messages, default.max_replies, default.max_persists), (64, 64, 16));
    let cores = Cores::new(core::<Puppet>(), Env { settings: vec![7; 256], ..default }).unwrap();
    let node = cores.node(0);
    assert_eq!((node.id, node.nodes, node.len, node.settings), (0, 1, 256, [7; 256]));
}

#[test]
fn an_environment_that_cannot_be_is_refused_with_its_field_and_the_remedy() {
    let bytes = [0; 300];
    let raw = [
        (CmcEnv { network: 2, ..env() }, "network is 2; it is CMC_NET_FIFO or CMC_NET_BAG"),
        (CmcEnv { settings_len: 1, ..env() }, "settings is NULL and settings_len 1"),
        (
            CmcEnv { settings_len: 257, settings: bytes.as_ptr(), ..env() },
            "settings_len is 257; there are at most 256 bytes",
        ),
    ];
    for (raw, said) in raw {
        let Err(Error::Argument(text)) = read_env(&raw) else { panic!("{said}") };
        assert!(text.starts_with(said), "{text}");
    }
    let read = [
        (CmcEnv { nodes: 9, ..env() }, "nodes is 9; a model has 1 to 8 nodes"),
        (CmcEnv { dups: 1, ..env() }, "dups is 1 in a FIFO network"),
        (CmcEnv { clients: [0, 0, 4, 0, 0, 0, 0, 0], nodes: 2, ..env() }, "clients[2] is 4"),
    ];
    for (raw, said) in read {
        let refused = Cores::new(core::<Puppet>(), read_env(&raw).unwrap());
        let Err(Error::Argument(text)) = refused.map(|_| ()) else { panic!("{said}") };
        assert!(text.starts_with(said), "{text}");
    }
    let long = Env { settings: vec![0; 257], ..Env::default() };
    assert!(Cores::new(core::<Puppet>(), long).is_err());
    let bag = CmcEnv { dups: 1, network: 1, ..env() };
    assert!(Cores::new(core::<Puppet>(), read_env(&bag).unwrap()).is_ok());
}

#[test]
fn a_core_that_lists_its_own_actions_has_one_node_and_no_environment() {
    let zero = Env::default();
    let faults = [
        (Env { nodes: 2, ..zero.clone() }, "nodes is 2"),
        (Env { drops: 1, ..zero.clone() }, "drops is 1"),
        (Env { dups: 1, network: Discipline::Bag, ..zero.clone() }, "dups is 1"),
        (Env { crashes: 1, ..zero.clone() }, "crashes is 1"),
        (Env { clients: [1, 0, 0, 0, 0, 0, 0, 0], ..zero.clone() }, "clients[0] is 1"),
    ];
    for (env, said) in faults {
        let refused = Cores::new(core::<Counters>(), env).map(|_| ());
        let Err(Error::Argument(text)) = refused else { panic!("{said}") };
        assert!(text.starts_with(said) && text.contains("direct_actions"), "{text}");
    }
    assert!(Cores::new(core::<Counters>(), zero).is_ok());
}
