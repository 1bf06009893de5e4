//! Writes a trace file: whole or not at all, and with the model seen from where the trace stands.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::Error;
use crate::trace::{Checked, TraceFile};

/// Why a trace was not saved.
#[derive(Debug)]
pub enum Unsaved {
    /// It cannot be written as text; a defect of the checker.
    Text(Error),
    /// The file cannot be written.
    File(io::Error),
}

/// Write `trace`, whose paths are as seen from the working directory, to the file `path`.
pub fn save(trace: &TraceFile, path: &Path) -> Result<(), Unsaved> {
    let mut trace = trace.clone();
    match &mut trace.checked {
        Checked::Model { file, .. } | Checked::Core { file, .. } => {
            *file = relative(Path::new(file), path);
        }
        Checked::Driver { .. } => {}
    }
    let text = trace.to_text().map_err(Unsaved::Text)?;
    write(path, &text).map_err(Unsaved::File)
}

/// Write `text` to the file `path`, whole or not at all; what is there and no file, like /dev/full, is
/// written to and stays what it is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return std::fs::write(path, text);
    }
    let mut draft = path.to_owned().into_os_string();
    draft.push(".new");
    std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, path)).inspect_err(|_| {
        let _ = std::fs::remove_file(&draft);
    })
}

/// `file` as seen from the directory of the trace.
fn relative(file: &Path, trace: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (file, trace) = (whole(file), whole(trace));
    let from: Vec<Component> = trace.parent().unwrap_or(Path::new("/")).components().collect();
    let to: Vec<Component> = file.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - shared);
    let path: PathBuf = up.chain(to[shared..].iter().copied()).collect();
    path.display().to_string()
}
