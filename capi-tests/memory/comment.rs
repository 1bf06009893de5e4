//! The lines of a program's first comment that say what a check of it finds; README.md tells their
//! grammar.

use std::collections::BTreeMap;

use serde_json::Value;

/// What one model is expected to give.
#[derive(Default)]
pub struct Expected {
    /// How many states the rules of the program have, by the names of the enumeration.
    pub counts: BTreeMap<String, usize>,
    demands: Vec<Demand>,
}

struct Demand {
    key: String,
    relation: &'static str,
    value: String,
}

/// What the comment of `program` expects of its models, by their names.
pub fn expectations(program: &str, source: &str) -> BTreeMap<String, Expected> {
    let mut models: BTreeMap<String, Expected> = BTreeMap::new();
    for (head, rest) in lines(source) {
        let (word, model) = head.split_once(' ').unwrap_or((head, program));
        if !["count", "expect"].contains(&word) {
            continue;
        }
        let expected = models.entry(model.into()).or_default();
        for Demand { key, relation, value } in demands(rest) {
            if word == "expect" {
                expected.demands.push(Demand { key, relation, value });
            } else {
                assert_eq!(relation, "=", "{program}: {key}");
                let number = value.parse().unwrap_or_else(|_| panic!("{program}: {key}={value}"));
                expected.counts.insert(key, number);
            }
        }
    }
    models
}

/// The class of roots that the state of a program is in when it is built at `level`.
pub fn root(source: &str, level: &str) -> Option<String> {
    let (_, rest) = lines(source).find(|(head, _)| *head == "root")?;
    let at_level = rest.split(' ').find_map(|word| word.strip_prefix(&format!("{level}=")));
    at_level.or(rest.split(' ').next()).map(String::from)
}

/// The lines `HEAD: REST` of the first comment.
fn lines(source: &str) -> impl Iterator<Item = (&str, &str)> {
    let comment = source.split("*/").next().unwrap_or_default();
    let lines = comment.lines().map(|line| line.trim_start_matches(['/', '*', ' ']));
    lines.filter_map(|line| line.split_once(": "))
}

fn demands(mut rest: &str) -> Vec<Demand> {
    let mut demands = Vec::new();
    while let Some(end) = rest.find(['=', '<', '>']) {
        let key = rest[..end].trim().to_owned();
        let relations = ["<=", ">=", "="];
        let relation = relations.into_iter().find(|relation| rest[end..].starts_with(relation));
        let relation = relation.unwrap_or_else(|| panic!("no relation: {rest}"));
        let tail = &rest[end + relation.len()..];
        let (value, after) = match tail.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').expect("a quote ends"),
            None => tail.split_once(' ').unwrap_or((tail, "")),
        };
        demands.push(Demand { key, relation, value: value.into() });
        rest = after;
    }
    assert!(rest.trim().is_empty(), "not a demand: {rest}");
    demands
}

impl Expected {
    /// What is not as it should be in `json`, which the program built at `level` gave.
    pub fn complaints(&self, level: &str, json: &Value) -> Vec<String> {
        let of_level = |demand: &&Demand| demand.key == level;
        let has_level = self.demands.iter().any(|demand| of_level(&demand));
        let levels = ["O0", "O2", "protector"];
        let asked = self.demands.iter().filter(|demand| match demand.key.as_str() {
            "states" => !has_level,
            key => key == level || !levels.contains(&key),
        });
        asked.filter_map(|demand| demand.complaint(json)).collect()
    }
}

impl Demand {
    fn complaint(&self, json: &Value) -> Option<String> {
        let Demand { key, relation, value } = self;
        if value == "measured" {
            return None;
        }
        let found = match key.as_str() {
            "states" | "O0" | "O2" | "protector" => &json["local_states"][0],
            "word" => &json["why"],
            other => &json[other],
        };
        let holds = match (key.as_str(), found) {
            ("word", Value::String(why)) => why.contains(value),
            (_, Value::String(text)) => text == value,
            (_, Value::Number(number)) => {
                let (found, value) = (number.as_u64(), value.parse().ok());
                match *relation {
                    "<=" => found <= value && found.is_some(),
                    ">=" => found >= value && value.is_some(),
                    _ => found == value,
                }
            }
            _ => false,
        };
        (!holds).then(|| format!("{key}{relation}{value}, but it is {found}"))
    }
}
