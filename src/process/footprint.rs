//! About how many bytes that is which the kernel would keep for a node, as the checker has it: what is
//! saved with a memory counts in full.

use super::local::{Descriptor, Local, Role};

/// Entries of a node of a `BTreeMap`, of which half are in use where it has several.
const ENTRIES: usize = 11;

/// About the bytes that a tree of so many entries takes.
fn tree<Key, Value>(entries: usize) -> usize {
    let nodes = if entries > ENTRIES { entries.div_ceil(ENTRIES / 2) } else { entries.min(1) };
    nodes * (ENTRIES * (size_of::<Key>() + size_of::<Value>()) + 2 * size_of::<usize>())
}

impl Local {
    /// About the bytes that it takes beside itself.
    pub fn heap(&self) -> usize {
        let sockets: usize = self.descriptors.values().map(Descriptor::heap).sum();
        let records =
            [&self.report, &self.durable].map(|record| record.pending().unwrap_or_default().1);
        tree::<i32, Descriptor>(self.descriptors.len())
            + sockets
            + tree::<i32, [u8; 32]>(self.signals.len())
            + tree::<i32, ()>(self.close_on_exec.len())
            + records.iter().sum::<usize>()
            + self.unread.len()
    }
}

impl Descriptor {
    /// About the bytes that it takes beside itself.
    fn heap(&self) -> usize {
        let Descriptor::Socket(socket) = self else { return 0 };
        let ready = match &socket.role {
            Role::Connected { ready, .. } => ready.len(),
            Role::Fresh | Role::Listening => 0,
        };
        let values: usize = socket.options.values().map(Vec::len).sum();
        ready + values + tree::<(i32, i32), Vec<u8>>(socket.options.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::local::Socket;
    use super::*;

    #[test]
    fn what_a_state_takes_grows_with_what_is_in_it() {
        let empty = Local::default();
        assert_eq!(empty.heap(), 0);
        let mut local = Local::at_start();
        let few = local.heap();
        let entry = size_of::<(i32, Descriptor)>();
        assert!((5 * entry..14 * entry).contains(&few), "{few}");
        for fd in 10..110 {
            local.descriptors.insert(fd, Descriptor::Socket(Socket::default()));
        }
        assert!((105 * entry..250 * entry).contains(&local.heap()));
        let before = local.heap();
        local.unread = vec![0; 1000];
        let ready = vec![0; 500];
        let role = Role::Connected { dialled: None, shut: false, ready };
        let options = [((1, 2), vec![0; 4])].into();
        let socket = Socket { role, options, ..Socket::default() };
        local.descriptors.insert(10, Descriptor::Socket(socket));
        assert!(local.heap() > before + 1504, "{} {before}", local.heap());
    }
}
