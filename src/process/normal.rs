//! The normal form of a node that waits: what no continuation reads before it writes it is made zero,
//! here and in the process.

use super::registers::General;
use super::snapshot::Snapshot;

/// Bring `snapshot` to its normal form.
pub fn clear(snapshot: &mut Snapshot) {
    let below = snapshot.below_stack();
    snapshot.clear(&below);
    // The kernel itself overwrites these two.
    snapshot.registers.set(General::Rcx, 0);
    snapshot.registers.set(General::R11, 0);
}
