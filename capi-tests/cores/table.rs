//! A core whose steps are a pseudo-random function of its settings, its state and the event: what no
//! protocol would do, and so what no author of a test thinks of. What it does uses up energy, so that
//! its worlds are finite. With mischief it breaks a rule here and there.

use cmc::cores::abi::{CmcEvent, CmcNode, CmcOut};

use crate::scripted::{Script, emit};

/// A hash good enough to make tables (FNV-1a with a last stir).
pub fn hash(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash ^= hash >> 31;
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

/// Draws small numbers out of a hash.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = hash(&[&self.0.to_le_bytes()]);
        self.0 % sides
    }
}

pub struct Table;

/// State: a durable byte, energy, mood. Settings: a seed of 8 bytes, energy at the start, mischief.
const DISK: usize = 0;
const ENERGY: usize = 1;
const MOOD: usize = 2;

fn act(dice: &mut Dice, node: &CmcNode, state: &mut [u8], out: &mut CmcOut) {
    if state[ENERGY] == 0 {
        return;
    }
    state[ENERGY] -= 1;
    state[MOOD] = dice.roll(2) as u8;
    let bytes = [dice.roll(2) as u8, 7, 7];
    for _ in 0..dice.roll(4) {
        let bytes = &bytes[..1 + dice.roll(2) as usize];
        let mut few = || dice.roll(2) as u8;
        let (to, id) = (few() + few(), few() + 1);
        let to = to % node.nodes;
        match dice.roll(9) {
            0..=2 => emit(out, 1, to, 0, bytes),
            3 => emit(out, 2, 0, id, &[]),
            4 => emit(out, 3, 0, id, &[]),
            5 | 6 => emit(out, 4, 0, 0, bytes),
            7 => emit(out, 5, 0, id, &[]),
            _ => emit(out, 6, 0, 0, bytes),
        }
    }
    if node.settings[9] > 0 && dice.roll(30) == 0 {
        match dice.roll(7) {
            0 => emit(out, 1, node.nodes, 0, &[]),
            1 => emit(out, 9, 0, 0, &[]),
            2 => emit(out, 2, 0, 16, &[]),
            3 => emit(out, 5, 0, 8, &[]),
            4 => emit(out, 6, 0, 0, &[1; 33]),
            5 => (0..17).for_each(|_| emit(out, 3, 0, 0, &[])),
            _ => state[DISK] += 1,
        }
    }
}

impl Script for Table {
    const STATE: usize = 3;
    const DURABLE: usize = 1;
    const INITIAL: u32 = 2;

    fn init(node: &CmcNode, index: u32, state: &mut [u8], out: &mut CmcOut) {
        state[ENERGY] = node.settings[8];
        let mut dice = Dice(hash(&[&node.settings[..8], &[node.id, index as u8]]));
        act(&mut dice, node, state, out);
    }

    fn step(node: &CmcNode, state: &mut [u8], event: &CmcEvent, out: &mut CmcOut) {
        let CmcEvent { kind, peer, id, len, data } = event;
        if *kind == 7 {
            state[ENERGY] = 1;
        }
        let event = [*kind, *peer, *id, *len];
        let parts: [&[u8]; 5] = [&node.settings[..8], &[node.id], state, &event, data];
        act(&mut Dice(hash(&parts)), node, state, out);
    }

    fn apply_persist(_: &CmcNode, durable: &mut [u8], record: &[u8]) {
        durable[DISK] = 2 * record[0] + record.len() as u8;
    }
}
