//! A start of a program without a hook can be repeated: no writable word differs between two starts,
//! by execve or by fork, nor between a node and its twin until they boot.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cmc::check::file::ModelFile;
use cmc::process::Processes;
use cmc::process::node::Node;
use cmc::process::start_words::{self, Image};
use cmc::process::step::{Answers, Cause, Input};
use cmc::process::zygotes::Zygotes;

use crate::programs::{built, models_at_levels, two_at_a_time};

fn image(node: &Node) -> Image {
    start_words::image(node.memory(), None).expect("its memory can be read")
}

fn twin(node: &Node) -> &Node {
    node.twin.as_deref().expect("a node of kind memory has a twin")
}

#[test]
fn no_writable_word_differs_between_two_starts_nor_between_twins_before_they_boot() {
    two_at_a_time(models_at_levels(), |(model, level)| {
        let name = format!("{model}-{level}");
        let file = ModelFile::load(&built().join(format!("{name}.toml")));
        let config = file.expect("make has written it").config;
        let never = Arc::new(AtomicBool::new(false));
        let processes = Processes::new(config, Path::new(env!("CMC_PRELOAD_BUILT")), &never);
        let processes = processes.expect("its program starts");
        let mut zygotes = Zygotes::default();
        let mut nodes = [
            processes.start_with_twin(0, Answers::default()).expect("it starts"),
            zygotes.start(&processes, 0, Answers::default()).expect("it starts"),
        ];
        let first = image(&nodes[0]);
        assert!(!first.is_empty(), "{name}");
        for other in [&nodes[1], twin(&nodes[0]), twin(&nodes[1])] {
            assert_eq!(start_words::compare(&first, &image(other)), [], "{name} at the hello");
        }
        for cause in [Cause::Boot(None), Cause::Input(Input::Accepted { synthetic: false })] {
            for node in &mut nodes {
                node.run(&cause, Answers::default(), None).expect("it runs");
            }
            let [one, other] = &nodes;
            for (one, other) in [(one, other), (twin(one), twin(other))] {
                let differences = start_words::compare(&image(one), &image(other));
                assert_eq!(differences, [], "{name}: {cause:?}");
            }
        }
    });
}
