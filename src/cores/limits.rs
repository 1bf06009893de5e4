//! The caps of cores that are the same in every environment. Going past one is the violation
//! `cap:NAME`, but for nodes and settings, which are refused before anything runs. The LIMITS section
//! of cmc(7) is compared with [`ALL`].

use super::abi::{
    CMC_MAX_ACTIONS, CMC_MAX_BYTES, CMC_MAX_EFFECTS, CMC_MAX_NODES, CMC_MAX_SETTINGS,
    CMC_MAX_TIMERS, CMC_MAX_WAITERS,
};
use crate::limits::Limit;

/// All of them, in the order of cmc(7).
pub const ALL: [Limit; 7] = [
    Limit { name: "nodes", value: CMC_MAX_NODES, what: "nodes of a core" },
    Limit { name: "settings", value: CMC_MAX_SETTINGS, what: "bytes of settings" },
    Limit {
        name: "bytes",
        value: CMC_MAX_BYTES,
        what: "bytes of a message, a record, a reply or the data of an event",
    },
    Limit { name: "effects", value: CMC_MAX_EFFECTS, what: "effects of one step of a core" },
    Limit { name: "actions", value: CMC_MAX_ACTIONS, what: "possible actions of a world" },
    Limit { name: "timers", value: CMC_MAX_TIMERS, what: "timers per node" },
    Limit { name: "waiters", value: CMC_MAX_WAITERS, what: "waiters per node" },
];
