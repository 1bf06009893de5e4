//! The example models: programs, clients, budgets and properties as their model files have them.

use super::actions::{Program, Script, Setting};
use super::faults;
use super::programs::{Ack, Election, Lock, echo, kv, list, raw_list};
use super::search::{Counts, Properties, search};
use super::world::{Asked, Budget, Live, Rules, Text, World};

/// Every model that can be predicted, with the folder of its model file.
pub const MODELS: &[(&str, &str)] = &[
    ("kv", "kv"),
    ("kv", "kv-pie"),
    ("kv", "kv-bug"),
    ("kv", "kv-bug-pie"),
    ("list", "list-report-1"),
    ("list", "list-report-2"),
    ("list", "list-report"),
    ("list", "list-report-4"),
    ("list", "list-bug"),
    ("list", "list-raw-1"),
    ("list", "list-raw-2"),
    ("list", "list-raw"),
    ("list", "list-raw-4"),
    ("echo", "echo"),
    ("lock", "lock"),
    ("lock", "lock-bug"),
    ("election", "election"),
    ("election", "election-bug"),
    ("kv", "kv-byte"),
    ("kv", "kv-silent"),
    ("kv", "kv-drop"),
    ("kv", "kv-drop-bug"),
    ("kv", "kv-crash"),
    ("kv", "kv-crash-bug"),
    ("echo", "echo-short"),
    ("lock", "lock-byte"),
    ("lock", "lock-crash"),
    ("election", "election-silent"),
    ("election", "election-crash"),
    ("election", "election-bug-crash"),
    ("ack", "ack"),
    ("ack", "ack-bug"),
    ("ack", "ack-bug-quiescent"),
    ("ack", "ack-history"),
    ("ack", "ack-bug-history"),
    ("ack", "ack-sequential"),
];

/// What a search of the model must count. For `list-raw` the numbers are lower bounds: memory may
/// split what the order of insertion does not.
pub fn predict(model: &str) -> Counts {
    let (setting, properties) = match model {
        "kv" | "kv-pie" => kv_model(false),
        "kv-bug" | "kv-bug-pie" => kv_model(true),
        "list-report" => report_model(3, false),
        "list-report-1" => report_model(1, false),
        "list-report-2" => report_model(2, false),
        "list-report-4" => report_model(4, false),
        "list-bug" => report_model(3, true),
        "list-raw" => raw_model(3),
        "list-raw-1" => raw_model(1),
        "list-raw-2" => raw_model(2),
        "list-raw-4" => raw_model(4),
        "echo" => echo_model(),
        "lock" => lock_model(false),
        "lock-bug" => lock_model(true),
        "election" => election_model(false, true),
        "election-bug" => election_model(true, true),
        "election-crash" => election_model(false, false),
        "election-bug-crash" => election_model(true, false),
        "ack" => ack_model(false, false),
        "ack-bug" => ack_model(true, false),
        "ack-bug-quiescent" => ack_model(true, true),
        "ack-history" => ack_history(false, Asked::InTime),
        "ack-bug-history" => ack_history(true, Asked::InTime),
        "ack-sequential" => ack_history(true, Asked::InOrder),
        _ => faults::model(model).unwrap_or_else(|| panic!("no model {model}")),
    };
    search(&setting, &properties)
}

pub fn one_node(program: impl Program + 'static, scripts: Vec<Script>) -> Setting {
    Setting {
        program: Box::new(program),
        nodes: 1,
        scripts,
        budget: Budget::default(),
        rules: Rules::default(),
        quiescent: false,
    }
}

pub fn byte(w: &World, at: usize) -> u8 {
    w.nodes[0].content[at]
}

fn kv_model(bug: bool) -> (Setting, Properties) {
    let script = Script { send: &["SET a", "SET b"], any: true, wait: true, close: false };
    let stays = |old: &World, new: &World| (0..2).all(|i| byte(old, i) != 1 || byte(new, i) == 1);
    let properties = Properties {
        invariants: vec![("cells are bits", Box::new(|w| byte(w, 0) <= 1 && byte(w, 1) <= 1))],
        steps: vec![("a cell once set stays set", Box::new(stays))],
        sometimes: vec![("both get set", Box::new(|w| byte(w, 0) == 1 && byte(w, 1) == 1))],
    };
    (one_node(kv(bug), vec![script]), properties)
}

fn insertions(n: usize) -> Vec<Script> {
    let send = &["INS 1", "INS 2", "INS 3", "INS 4"][..n];
    vec![Script { send, any: true, wait: true, close: false }]
}

fn report_model(n: usize, bug: bool) -> (Setting, Properties) {
    let present = move |w: &World| (1..=n).all(|m| w.replies.len() < m || byte(w, m - 1) != 0);
    let sorted = |w: &World| (0..3).all(|i| byte(w, i + 1) == 0 || byte(w, i) < byte(w, i + 1));
    let properties = Properties {
        invariants: vec![
            ("every inserted key is still present", Box::new(present)),
            ("keys are sorted", Box::new(sorted)),
        ],
        steps: vec![],
        sometimes: vec![("all keys get inserted", Box::new(move |w| byte(w, n - 1) != 0))],
    };
    (one_node(list(bug), insertions(n)), properties)
}

fn raw_model(n: usize) -> (Setting, Properties) {
    let properties = Properties {
        invariants: vec![("one answer a key", Box::new(move |w| w.replies.len() <= n))],
        steps: vec![],
        sometimes: vec![("every key is answered", Box::new(move |w| w.replies.len() == n))],
    };
    (one_node(raw_list(), insertions(n)), properties)
}

fn echo_model() -> (Setting, Properties) {
    let scripts = vec![
        Script { send: &["one", "two"], any: false, wait: true, close: true },
        Script { send: &["three"], any: false, wait: true, close: true },
    ];
    let answered = |w: &World| usize::from(byte(w, 0)) == w.replies.len();
    let properties = Properties {
        invariants: vec![("every message counted was answered", Box::new(answered))],
        steps: vec![],
        sometimes: vec![("all messages are echoed", Box::new(|w| byte(w, 0) == 3))],
    };
    (one_node(echo(), scripts), properties)
}

pub fn lock_model(bug: bool) -> (Setting, Properties) {
    let scripts = vec![
        Script { send: &["LOCK"], any: false, wait: true, close: true },
        Script { send: &["LOCK", "LOCK", "UNLOCK"], any: false, wait: true, close: true },
    ];
    let holder = |w: &World| alive(w, 0).then(|| byte(w, 0));
    let connected =
        |w: &World| !alive(w, 0) || byte(w, 0) == 0 || byte(w, usize::from(byte(w, 0))) == 1;
    let hands = move |old: &World, new: &World| match (holder(old), holder(new)) {
        (Some(old), Some(new)) => old == 0 || new == 0 || new == old,
        _ => true,
    };
    let properties = Properties {
        invariants: vec![("the lock is held only by a connected client", Box::new(connected))],
        steps: vec![("the lock changes hands only when free", Box::new(hands))],
        sometimes: vec![(
            "the second connection holds the lock",
            Box::new(move |w| holder(w) == Some(2)),
        )],
    };
    (one_node(Lock { bug }, scripts), properties)
}

fn ack_model(bug: bool, quiescent: bool) -> (Setting, Properties) {
    let scripts = vec![
        Script { send: &["SET 1", "SET 2"], any: false, wait: true, close: true },
        Script { send: &["GET"], any: false, wait: true, close: false },
    ];
    let budget = Budget { crashes: 1, restarts: 1, ..Budget::default() };
    let setting = Setting { budget, quiescent, ..one_node(Ack { bug }, scripts) };
    let replies = |w: &World, text: &[u8]| w.replies.iter().filter(|(_, r)| r == text).count();
    let lost = move |w: &World| alive(w, 0) && usize::from(byte(w, 0)) < replies(w, b"OK");
    let read = move |w: &World| w.budget.restarts == 0 && replies(w, b"1") > 0;
    let properties = Properties {
        invariants: vec![("an acknowledged write is never lost", Box::new(move |w| !lost(w)))],
        steps: vec![],
        sometimes: vec![
            ("a write is read after the crash", Box::new(read)),
            ("all is written", Box::new(|w| alive(w, 0) && byte(w, 0) == 2)),
        ],
    };
    (setting, properties)
}

/// One client writes 1 and then 2, another reads: the history of a register without trying orders. A
/// read finds no less than earlier ones, no less than what was answered before it was asked (if time
/// counts), and no more than what was asked before it was answered.
fn ack_history(bug: bool, asked: Asked) -> (Setting, Properties) {
    let scripts = vec![
        Script { send: &["SET 1", "SET 2"], any: false, wait: true, close: true },
        Script { send: &["GET", "GET"], any: false, wait: true, close: true },
    ];
    let budget = Budget { crashes: 1, restarts: 1, ..Budget::default() };
    let rules = Rules { asked, ..Rules::default() };
    let setting = Setting { budget, rules, ..one_node(Ack { bug }, scripts) };
    let found = |text: &Text| usize::from(text[0] - b'0');
    let explained = move |w: &World| {
        let mut reads = w.requests.iter().filter(|(_, client, _)| *client == 1);
        let mut earlier = 0;
        w.replies.iter().enumerate().filter(|(_, (client, _))| *client == 1).all(|(at, reply)| {
            let (before, ..) = *reads.next().expect("it was asked");
            let written = |(client, _): &&(usize, Text)| *client == 0;
            let done = w.replies[..before].iter().filter(written).count();
            let writes = w.requests.iter().filter(|(_, client, _)| *client == 0);
            let asked = writes.filter(|(before, ..)| *before <= at).count();
            let value = found(&reply.1);
            let fits = earlier.max(done) <= value && value <= asked;
            earlier = value;
            fits
        })
    };
    let name = match asked {
        Asked::InOrder => "sequentially consistent",
        _ => "linearizable",
    };
    let properties = Properties {
        invariants: vec![(name, Box::new(explained))],
        steps: vec![],
        sometimes: vec![(
            "both reads find a write",
            Box::new(|w| w.replies.iter().filter(|(k, text)| *k == 1 && text != b"0").count() == 2),
        )],
    };
    (setting, properties)
}

pub fn alive(w: &World, n: usize) -> bool {
    w.nodes[n].live == Live::Running
}

pub fn election_model(bug: bool, quiescent: bool) -> (Setting, Properties) {
    let setting = Setting {
        program: Box::new(Election { bug }),
        nodes: 3,
        scripts: vec![],
        budget: Budget { timeouts: 2, crashes: 1, restarts: 1, drops: 0 },
        rules: Rules::default(),
        quiescent,
    };
    let leads = |w: &World, n: usize| alive(w, n) && w.nodes[n].content[1] == 2;
    let term = |w: &World, n: usize| w.nodes[n].content[2];
    let one = move |w: &World| {
        let leaders: Vec<usize> = (0..3).filter(|&n| leads(w, n)).collect();
        leaders.iter().all(|&a| leaders.iter().all(|&b| a == b || term(w, a) != term(w, b)))
    };
    let forward = move |old: &World, new: &World| {
        (0..3).all(|n| !alive(old, n) || !alive(new, n) || term(new, n) >= term(old, n))
    };
    let properties = Properties {
        invariants: vec![("one leader per term", Box::new(one))],
        steps: vec![("a term never goes back", Box::new(forward))],
        sometimes: vec![("a leader is elected", Box::new(move |w| (0..3).any(|n| leads(w, n))))],
    };
    (setting, properties)
}
