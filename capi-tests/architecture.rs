//! The rules of the house, each as a gate over the text of the repository: what may import what,
//! where unsafe code and output are, how long files get, and that documents say what the code says.
//! Every gate has probes, changes that it must reject: a gate that rejects nothing checks nothing.

#[path = "architecture/documents.rs"]
mod documents;
#[path = "architecture/imports.rs"]
mod imports;
#[path = "architecture/rust_code.rs"]
mod rust_code;
#[path = "architecture/texts.rs"]
mod texts;
#[path = "architecture/tree.rs"]
mod tree;
