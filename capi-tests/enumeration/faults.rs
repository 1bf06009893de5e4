//! The example models whose subject is the network or a fault: time-outs, silent closes, lost
//! messages, crashes and short reads, as their model files have them.

use super::actions::{Script, Setting};
use super::models::{alive, byte, election_model, lock_model, one_node};
use super::programs::{Short, echo, kv};
use super::search::Properties;
use super::world::{Asked, Budget, Rules, World};

pub fn model(name: &str) -> Option<(Setting, Properties)> {
    Some(match name {
        "kv-byte" => kv_byte(),
        "kv-silent" => kv_silent(),
        "kv-drop" => kv_drop(),
        "kv-drop-bug" => kv_drop_bug(),
        "kv-crash" => kv_crash(),
        "kv-crash-bug" => kv_crash_bug(),
        "echo-short" => echo_short(),
        "lock-byte" => lock_byte(),
        "lock-crash" => lock_crash(),
        "election-silent" => election_silent(),
        _ => return None,
    })
}

const NOTHING: Budget = Budget { timeouts: 0, crashes: 0, restarts: 0, drops: 0 };
const ONE_CRASH: Budget = Budget { crashes: 1, restarts: 1, ..NOTHING };
const BYTE: Rules = Rules { byte: true, silent: false, asked: Asked::Never };
const SILENT: Rules = Rules { byte: false, silent: true, asked: Asked::Never };

/// A client that sends in sequence and closes.
fn client(send: &'static [&'static str], wait: bool) -> Script {
    Script { send, any: false, wait, close: true }
}

fn answers(w: &World, client: usize) -> usize {
    w.replies.iter().filter(|(to, _)| *to == client).count()
}

fn bits(w: &World) -> bool {
    !alive(w, 0) || (byte(w, 0) <= 1 && byte(w, 1) <= 1)
}

fn stays(old: &World, new: &World) -> bool {
    !alive(old, 0) || !alive(new, 0) || (0..2).all(|i| byte(old, i) != 1 || byte(new, i) == 1)
}

fn cells(w: &World) -> Option<[u8; 2]> {
    alive(w, 0).then(|| [byte(w, 0), byte(w, 1)])
}

fn kv_byte() -> (Setting, Properties) {
    let setting = Setting {
        budget: Budget { timeouts: 2, ..NOTHING },
        rules: BYTE,
        ..one_node(kv(false), vec![client(&["SET a"], true)])
    };
    let clock = |w: &World| w.nodes[0].clock == 1000 * (2 - u64::from(w.budget.timeouts));
    let answered = |w: &World| w.replies.len() <= 3 - w.budget.timeouts as usize;
    let properties = Properties {
        invariants: vec![
            ("an answer is to a message or a time-out", Box::new(answered)),
            ("a time-out takes a second", Box::new(clock)),
        ],
        steps: vec![("a cell once set stays set", Box::new(stays))],
        sometimes: vec![(
            "a gets set after both time-outs",
            Box::new(|w| byte(w, 0) == 1 && w.budget.timeouts == 0),
        )],
    };
    (setting, properties)
}

fn kv_silent() -> (Setting, Properties) {
    let setting = Setting {
        budget: Budget { drops: 1, ..NOTHING },
        rules: SILENT,
        ..one_node(kv(false), vec![client(&["SET a"], false), client(&["SET b"], true)])
    };
    let properties = Properties {
        invariants: vec![(
            "one client is served",
            Box::new(|w| byte(w, 0) == 0 || byte(w, 1) == 0),
        )],
        steps: vec![("a cell once set stays set", Box::new(stays))],
        sometimes: vec![
            ("a gets set", Box::new(|w| byte(w, 0) == 1)),
            ("b gets set", Box::new(|w| byte(w, 1) == 1)),
        ],
    };
    (setting, properties)
}

fn kv_drop() -> (Setting, Properties) {
    let second = Script { close: false, ..client(&["SET b"], false) };
    let setting = Setting {
        budget: Budget { drops: 2, ..NOTHING },
        ..one_node(kv(false), vec![client(&["SET a", "SET b"], false), second])
    };
    let properties = Properties {
        invariants: vec![("cells are bits", Box::new(bits))],
        steps: vec![("a cell once set stays set", Box::new(stays))],
        sometimes: vec![
            (
                "both get set though a message is lost",
                Box::new(|w| cells(w) == Some([1, 1]) && w.budget.drops < 2),
            ),
            (
                "the second client alone is heard",
                Box::new(|w| cells(w) == Some([0, 1]) && answers(w, 1) == 1 && answers(w, 0) == 0),
            ),
        ],
    };
    (setting, properties)
}

fn kv_drop_bug() -> (Setting, Properties) {
    let setting = Setting {
        budget: Budget { drops: 1, ..NOTHING },
        ..one_node(kv(true), vec![client(&["SET b"], false), client(&["SET a"], false)])
    };
    let properties = Properties {
        invariants: vec![("cells are bits", Box::new(bits))],
        steps: vec![("a cell once set stays set", Box::new(stays))],
        sometimes: vec![],
    };
    (setting, properties)
}

fn kv_crash() -> (Setting, Properties) {
    let scripts = vec![client(&["SET a"], true), client(&["SET b"], false)];
    let setting = Setting { budget: ONE_CRASH, quiescent: true, ..one_node(kv(false), scripts) };
    let lost = |w: &World| cells(w).is_some_and(|[a, _]| a == 0) && answers(w, 0) == 1;
    let properties = Properties {
        invariants: vec![("cells are bits", Box::new(bits))],
        steps: vec![("a cell once set stays set", Box::new(stays))],
        sometimes: vec![
            ("both get set", Box::new(|w| cells(w) == Some([1, 1]))),
            ("an answered cell is lost", Box::new(lost)),
        ],
    };
    (setting, properties)
}

fn kv_crash_bug() -> (Setting, Properties) {
    let scripts = vec![client(&["SET a"], true), client(&["SET b"], false)];
    let setting = Setting {
        budget: Budget { drops: 1, ..ONE_CRASH },
        quiescent: true,
        ..one_node(kv(false), scripts)
    };
    let kept = |w: &World| answers(w, 0) == 0 || cells(w).is_none_or(|[a, _]| a == 1);
    let properties = Properties {
        invariants: vec![("an answered cell is kept", Box::new(kept))],
        steps: vec![],
        sometimes: vec![],
    };
    (setting, properties)
}

fn echo_short() -> (Setting, Properties) {
    let setting = Setting {
        budget: Budget { drops: 1, ..NOTHING },
        ..one_node(
            Short(3, echo()),
            vec![client(&["hello", "abc"], false), client(&["four"], true)],
        )
    };
    let short = |w: &World| w.replies.iter().all(|(_, text)| text.len() <= 3);
    let counted = |w: &World| usize::from(byte(w, 0)) >= w.replies.len();
    let said = |w: &World, what: &[u8]| w.replies.iter().any(|(_, text)| text == what);
    let properties = Properties {
        invariants: vec![
            ("three bytes are read at most", Box::new(short)),
            ("every answer was counted", Box::new(counted)),
        ],
        steps: vec![],
        sometimes: vec![
            ("a message comes back in two", Box::new(move |w| said(w, b"lo"))),
            (
                "the rest of a message is lost",
                Box::new(move |w| {
                    said(w, b"hel") && said(w, b"abc") && !said(w, b"lo") && w.budget.drops == 0
                }),
            ),
        ],
    };
    (setting, properties)
}

fn lock_byte() -> (Setting, Properties) {
    let (setting, properties) = lock_model(false);
    let scripts = vec![client(&["LOCK"], true), client(&["LOCK", "UNLOCK"], false)];
    let budget = Budget { timeouts: 2, ..NOTHING };
    (Setting { scripts, budget, rules: BYTE, ..setting }, properties)
}

fn lock_crash() -> (Setting, Properties) {
    let (setting, properties) = lock_model(false);
    (Setting { budget: ONE_CRASH, quiescent: true, ..setting }, properties)
}

fn election_silent() -> (Setting, Properties) {
    let (setting, properties) = election_model(false, true);
    let budget = Budget { timeouts: 2, crashes: 1, drops: 1, ..NOTHING };
    (Setting { budget, rules: SILENT, ..setting }, properties)
}
