//! Reads a trace file.

use std::path::Path;

use crate::error::Error;
use crate::trace::TraceFile;

/// The largest trace file that is read.
const LARGEST: u64 = 64 << 20;

/// The trace in the file `path`.
pub fn trace(path: &Path) -> Result<TraceFile, Error> {
    let said = path.display().to_string();
    let unreadable = |why: String| Error::Trace(format!("{said}: {why}"));
    let size = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > LARGEST {
        return Err(unreadable(format!("{size} bytes; a trace has at most {LARGEST}")));
    }
    let text = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(text)
        .map_err(|_| unreadable("not text in UTF-8; a trace is written by cmc".into()))?;
    TraceFile::parse(&said, &text)
}
