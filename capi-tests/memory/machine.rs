//! What a program of this folder is by its own rules, without its memory: what it answers, which
//! states it must tell apart, and what its buffers can add. Nothing here knows the checker.

/// The rules of one program.
pub trait Machine {
    /// A copy that goes its own way.
    fn copy(&self) -> Box<dyn Machine>;
    /// What is answered to `request`; nothing where the rules do not say it.
    fn obey(&mut self, request: &str) -> Option<String>;
    /// What must be told apart.
    fn content(&self) -> String;
    /// What may be told apart beside that, because it stays in buffers that nothing will read.
    fn stale(&self) -> String {
        String::new()
    }
    /// The connection has ended.
    fn hang_up(&mut self) {}
}

impl Clone for Box<dyn Machine> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// Text written to the start of a buffer with the NUL that C puts behind it; the rest stays.
pub fn overlay_text(buffer: &mut Vec<u8>, text: &str) {
    let mut written = [text.as_bytes(), &[0]].concat();
    written.extend_from_slice(buffer.get(written.len()..).unwrap_or_default());
    *buffer = written;
}
