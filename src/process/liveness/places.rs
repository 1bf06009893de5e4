//! Which registers hold addresses of a function's own frame, and so which of its instructions touch
//! which bytes of it: constants relative to the canonical frame address, carried forward along every
//! way. An address that is used in any other way than to touch a known byte has escaped.

use iced_x86::{InstructionInfoFactory, Mnemonic};

use super::graph::{Call, Exit, Graph, Node};
use super::reads::{Register, RegisterSet};
use super::rows::Row;
use super::seen::{Escape, Places, RBP, RSP, Seen, Touch, pushes};

/// What is found.
#[derive(Debug, Default)]
pub struct Frame {
    /// By node, the stack pointer in front of it.
    pub depths: Vec<Option<i32>>,
    /// By node, what it touches.
    pub touches: Vec<Vec<Touch>>,
    /// The addresses that escape.
    pub escapes: Vec<Escape>,
    /// Whether something touches the frame at an unknown place.
    pub lost: bool,
    /// Whether the code contradicts its own frame table.
    pub contradicts: bool,
    /// Whether something below the stack pointer is touched.
    pub red_zone: bool,
}

/// Follow the addresses in `graph`.
pub fn follow(graph: &Graph) -> Frame {
    let mut following = Following {
        graph,
        factory: InstructionInfoFactory::new(),
        before: vec![None; graph.nodes.len()],
        frame: Frame::default(),
    };
    following.enter();
    following.collect()
}

struct Following<'a> {
    graph: &'a Graph,
    factory: InstructionInfoFactory,
    before: Vec<Option<Places>>,
    frame: Frame,
}

impl Following<'_> {
    /// Start where the function starts, then where jumps of unknown target may lead.
    fn enter(&mut self) {
        let nodes = &self.graph.nodes;
        let starts = self.graph.starts.clone();
        let at_start = |&start: &usize| nodes[start].row.as_ref().and_then(Row::stack_pointer);
        let whole = starts.iter().any(|start| at_start(start) == Some(-8));
        let jumps = nodes.iter().any(|node| node.exit == Some(Exit::Unknown));
        for &start in &starts {
            if self.before[start].is_none() {
                self.reach(start);
            }
        }
        let mut entered = false;
        for seed in 0..self.graph.nodes.len() {
            // What fills the room between blocks is executed by nobody.
            let filling = self.graph.nodes[seed].instruction.mnemonic() == Mnemonic::Nop;
            if self.before[seed].is_none() && !filling {
                self.reach(seed);
                entered = true;
            }
        }
        // A part of a function that is entered from elsewhere: what is done to the frame there is
        // not known here.
        self.frame.lost |= !whole || entered && !jumps;
    }

    /// Carry what is known to every node that can be reached from `seed`, which is entered from
    /// elsewhere: the function's start, or where a jump of unknown target may lead.
    fn reach(&mut self, seed: usize) {
        let mut places = [None; 16];
        self.correct(seed, &mut places);
        self.before[seed] = Some(places);
        let mut work = vec![seed];
        while let Some(number) = work.pop() {
            let node = &self.graph.nodes[number];
            let Some(before) = self.before[number] else { continue };
            let mut seen = Seen::default();
            let after = self.step(node, before, &mut seen);
            for &next in node.next.iter().chain(&node.pad) {
                let mut after = after;
                if Some(next) == node.pad {
                    forget_overwritten(&mut after);
                }
                self.correct(next, &mut after);
                if self.join(next, &after) {
                    work.push(next);
                }
            }
        }
    }

    /// What the frame table says in front of a node.
    fn correct(&mut self, number: usize, places: &mut Places) {
        let Some(row) = &self.graph.nodes[number].row else { return };
        let said = [(RSP, row.stack_pointer()), (RBP, row.frame_pointer())];
        for (register, place) in said {
            let Some(place) = place else { continue };
            self.frame.contradicts |= places[register].is_some_and(|known| known != place);
            places[register] = Some(place);
        }
    }

    /// Add what is known on one way to `number`; whether that changes anything.
    fn join(&mut self, number: usize, places: &Places) -> bool {
        let Some(known) = &mut self.before[number] else {
            self.before[number] = Some(*places);
            return true;
        };
        let mut changed = false;
        for (register, (known, place)) in known.iter_mut().zip(places).enumerate() {
            if *known == *place {
                continue;
            }
            if register != RSP {
                let escaped = [*known, *place].into_iter().flatten();
                self.frame.escapes.extend(escaped.map(|offset| Escape { offset, given: false }));
            }
            changed |= known.is_some();
            *known = None;
        }
        changed
    }

    /// With all places known, what each instruction touches.
    fn collect(mut self) -> Frame {
        for (number, node) in self.graph.nodes.iter().enumerate() {
            let before = self.before[number].unwrap_or_default();
            let mut seen = Seen::default();
            self.step(node, before, &mut seen);
            self.frame.depths.push(before[RSP]);
            let depth = before[RSP];
            self.frame.red_zone |= seen.touches.iter().any(|touch| {
                // A push writes the eight bytes that it makes room for.
                let lowest = if pushes(&node.instruction) { -8 } else { 0 };
                depth.is_some_and(|depth| touch.offset < depth + lowest)
            });
            self.frame.touches.push(seen.touches);
            self.frame.escapes.extend(seen.escapes);
            self.frame.lost |= seen.lost;
        }
        self.frame.escapes.sort_by_key(|escape| (escape.offset, escape.given));
        self.frame.escapes.dedup();
        self.frame
    }

    /// What is known behind `node`, and what it does to the frame.
    fn step(&mut self, node: &Node, before: Places, seen: &mut Seen) -> Places {
        let instruction = &node.instruction;
        if instruction.is_invalid() {
            seen.all_escape(node, &before, false);
            return [None; 16];
        }
        let mut after = before;
        let info = self.factory.info(instruction);
        seen.memory(instruction, info, &before);
        match node.call {
            None => seen.plain(instruction, info, &before, &mut after),
            Some(call) => {
                seen.all_escape(node, &before, true);
                if call == Call::System {
                    for register in RegisterSet::OVERWRITTEN.iter() {
                        after[register.number()] = None;
                    }
                } else {
                    forget_overwritten(&mut after);
                }
            }
        }
        match node.exit {
            Some(Exit::Unknown) => seen.all_escape(node, &before, false),
            Some(Exit::Tail | Exit::Convention) => seen.all_escape(node, &before, true),
            Some(Exit::Return) | None => {}
        }
        after
    }
}

/// A function has overwritten what it need not preserve.
fn forget_overwritten(places: &mut Places) {
    for (number, place) in places.iter_mut().enumerate() {
        if !RegisterSet::PRESERVED.contains(Register::general(number)) {
            *place = None;
        }
    }
}
