//! What this process takes of memory, as the kernel counts it.

/// The most that it has had so far, in bytes.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// What it has, in bytes; 0 where the kernel does not say.
pub fn resident() -> u64 {
    status("VmRSS:").unwrap_or(0)
}

fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}
