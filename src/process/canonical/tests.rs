//! What the canonical form says and what it does not say: over random graphs, against a second reading
//! of its meaning.

use proptest::prelude::*;

use super::boot::Boot;
use super::describe::first_difference;
use super::synthetic::{Graph, Held, Placed, graphs, placements};

/// One change of a graph.
fn changed(graph: &Graph, kind: usize, pick: prop::sample::Index, to: Held) -> Graph {
    let mut graph = graph.clone();
    let number = pick.index(graph.objects.len());
    let node = &mut graph.objects[number];
    match kind {
        0 => node.aligned = !node.aligned,
        1 => node.bytes.push(7),
        2 => {
            let free = |at: &usize| node.words.iter().all(|(w, _)| *at < *w || *at >= *w + 8);
            if let Some(at) = (0..node.bytes.len()).filter(free).nth(number) {
                node.bytes[at] = 9;
            }
        }
        3 => {
            let count = node.words.len();
            if count > 0 {
                node.words[pick.index(count)].1 = to;
            }
        }
        4 => {
            let copy = node.clone();
            graph.objects.push(copy);
            let last = graph.objects.len() - 1;
            // Two objects that hold the same are not one that is shared.
            let lists = [&mut graph.program, &mut graph.stack, &mut graph.registers];
            for held in lists.into_iter().flatten().take(3) {
                if let Held::Into(other, _) = held
                    && *other == number
                {
                    *other = last;
                    break;
                }
            }
        }
        5 => graph.program.push(to),
        6 => graph.held.push(to),
        7 => graph.stack.insert(0, to),
        _ => remove(&mut graph.library, pick),
    }
    graph
}

fn remove(list: &mut Vec<Held>, pick: prop::sample::Index) {
    if !list.is_empty() {
        list.swap_remove(pick.index(list.len()));
    }
}

fn two_placements() -> impl Strategy<Value = (Graph, Placed, Placed)> {
    graphs().prop_flat_map(|graph| {
        let (a, b) = (placements(&graph), placements(&graph));
        (Just(graph), a, b).prop_map(|(graph, a, b)| {
            let (a, b) = (graph.place(&a.0, &a.1), graph.place(&b.0, &b.1));
            (graph, a, b)
        })
    })
}

proptest! {
    #[test]
    fn where_objects_are_does_not_matter((_, a, b) in two_placements()) {
        let (x, y) = (a.form(), b.form());
        prop_assert!(!x.raw && !y.raw);
        prop_assert_eq!(x.placeless, y.placeless);
        prop_assert_eq!(x.unreached == 0, x.digest == x.placeless);
        if x.unreached == 0 {
            prop_assert_eq!(x.digest, y.digest);
        }
        let boot = Boot::default();
        prop_assert_eq!(first_difference(&a.input(&boot), &b.input(&boot)), None);
    }

    #[test]
    fn what_is_said_is_what_is_meant(
        (graph, a, _) in two_placements(),
        kind in 0usize..9,
        pick: prop::sample::Index,
        at: prop::sample::Index,
        spaces in prop::collection::vec(0u64..5, 3),
    ) {
        let number = at.index(graph.objects.len());
        let to = Held::Into(number, pick.index(graph.objects[number].bytes.len() + 1) as u64);
        let other = changed(&graph, kind, pick, to);
        let order: Vec<usize> = (0..other.objects.len() + other.freed).rev().collect();
        let b = other.place(&order, &spaces);
        let same = graph.meaning() == other.meaning();
        prop_assert_eq!(a.form().placeless == b.form().placeless, same);
        let boot = Boot::default();
        let difference = first_difference(&a.input(&boot), &b.input(&boot));
        prop_assert_eq!(difference.is_none(), same, "{:?}", difference);
    }
}
