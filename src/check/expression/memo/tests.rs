//! What is remembered is what would be evaluated, and a lie is found.

use super::*;
use crate::check::expression::{Expression, Fault, Scope};
use crate::check::field::{Field, Fields, Form};
use crate::world::{Message, Reader, Reply};

/// Worlds of three nodes, a byte each: 0 has crashed, else it is the content.
struct Bytes3;

impl Reader for Bytes3 {
    fn nodes(&self) -> usize {
        3
    }
    fn liveness(&self, world: &[u8], node: usize) -> Result<Liveness, Error> {
        Ok(if world[node] == 0 { Liveness::Crashed } else { Liveness::Running })
    }
    fn content<'w>(&self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        Ok((world[node] != 0).then(|| &world[node..=node]))
    }
    fn identity(&self, world: &[u8], node: usize) -> Option<(Liveness, u128)> {
        Some((self.liveness(world, node).ok()?, world[node].into()))
    }
    fn clock(&self, _: &[u8], _: usize) -> Result<i64, Error> {
        Ok(0)
    }
    fn budget(&self, _: &[u8], _: &str) -> Result<Option<u64>, Error> {
        Ok(None)
    }
    fn messages(&self, _: &[u8], _: &mut dyn FnMut(Message<'_>) -> bool) -> Result<(), Error> {
        Ok(())
    }
    fn replies(&self, _: &[u8], _: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        Ok(())
    }
}

/// The same, and nothing is remembered.
struct Forgetful;

impl Reader for Forgetful {
    fn nodes(&self) -> usize {
        3
    }
    fn liveness(&self, world: &[u8], node: usize) -> Result<Liveness, Error> {
        Bytes3.liveness(world, node)
    }
    fn content<'w>(&self, world: &'w [u8], node: usize) -> Result<Option<&'w [u8]>, Error> {
        Ok((world[node] != 0).then(|| &world[node..=node]))
    }
    fn clock(&self, _: &[u8], _: usize) -> Result<i64, Error> {
        Ok(0)
    }
    fn budget(&self, _: &[u8], _: &str) -> Result<Option<u64>, Error> {
        Ok(None)
    }
    fn messages(&self, _: &[u8], _: &mut dyn FnMut(Message<'_>) -> bool) -> Result<(), Error> {
        Ok(())
    }
    fn replies(&self, _: &[u8], _: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), Error> {
        Ok(())
    }
}

fn compile(text: &str) -> Expression {
    let form = Form::Integer { width: 1, signed: false, big: false };
    let field = Field { name: "x".into(), form, offset: 0, memory: None, span: 0..0 };
    let nodes = vec![Fields { list: vec![field] }; 3];
    Expression::compile(text, &nodes, Scope::Step).expect("it is an expression")
}

fn holds(
    expression: &Expression,
    reader: &dyn Reader,
    [old, new]: [&[u8; 3]; 2],
) -> Result<bool, Fault> {
    expression.holds(View { world: old, reader }, View { world: new, reader })
}

#[test]
fn what_is_remembered_has_the_value_that_it_has_by_itself() {
    let worlds: Vec<[u8; 3]> = (0..27).map(|n| [n % 3, n / 3 % 3, n / 9]).collect();
    for text in [
        "forall n in nodes: (old(alive(n)) and alive(n)) implies n.x >= old(n.x)",
        "forall a in nodes: forall b in nodes: (alive(a) and alive(b) and a != b) implies a.x != b.x",
        "exists a in nodes: exists b in nodes: alive(a) and old(alive(b)) and a.x + 1 == old(b.x)",
        "forall a in nodes: exists b in nodes: (alive(b) and b.x == 2) or a == b",
        "exists n in nodes: n.x == 2",
        "exists a in nodes: exists b in nodes: exists c in nodes: a < b and b < c and crashed(a)",
        "count(n in nodes: alive(n)) == 2",
        "old(exists n in nodes: alive(n) and n.x == 1)",
        "(alive(node(0)) and old(alive(node(1)))) implies node(0).x == 1",
        "count(n in nodes: exists m in nodes: m != n and alive(m) and old(alive(n))) > 1",
    ] {
        let expression = compile(text);
        // Twice, so that values are remembered from the first time.
        for _ in 0..2 {
            for (old, new) in worlds.iter().flat_map(|old| worlds.iter().map(move |new| (old, new)))
            {
                let (with, without) = (
                    holds(&expression, &Bytes3, [old, new]),
                    holds(&expression, &Forgetful, [old, new]),
                );
                assert_eq!(with, without, "{text}: {old:?} {new:?}");
            }
        }
    }
}

#[test]
fn a_value_that_is_remembered_wrongly_is_found() {
    let expression = compile("forall n in nodes: alive(n) implies n.x > 0");
    let world = [1, 2, 0];
    assert_eq!(holds(&expression, &Bytes3, [&world, &world]), Ok(true));
    lie();
    let found = (0..DOUBTED).any(|_| {
        matches!(
            holds(&expression, &Bytes3, [&world, &world]),
            Err(Fault::World(Error::Internal(text))) if text.contains("another value")
        )
    });
    assert!(found);
}

#[test]
fn numbers_run_out_and_start_over_without_a_mistake() {
    let number =
        |memo: &mut Memo, world, digest| memo.number_of(world, 0, Liveness::Running, digest);
    let mut memo = Memo { last: (1 << NUMBER) - 3, ..Memo::default() };
    assert_eq!(number(&mut memo, 0, 1), Some((1 << NUMBER) - 2));
    assert_eq!(number(&mut memo, 1, 2), Some((1 << NUMBER) - 1));
    memo.keep(7, true);
    assert_eq!(memo.recall(7), Some(Recalled { value: true, doubted: false }));
    assert_eq!(number(&mut memo, 0, 3), None);
    assert_eq!(memo.recall(7), None);
    assert_eq!(number(&mut memo, 0, 3), Some(1));
    assert_eq!(number(&mut memo, 1, 3), Some(1));
}
