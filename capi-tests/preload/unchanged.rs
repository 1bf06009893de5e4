//! Programs of the system do the same with the preload as without it.

use std::io::Write;
use std::process::{Command, Stdio};

use super::{preloaded, text};

/// The same output and status with the preload as without it.
fn is_unchanged(program: &str, arguments: &[&str], input: &str) {
    let output_of = |command: &mut Command| {
        let mut child = command
            .args(arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|why| panic!("{program}: {why}"));
        let mut to_child = child.stdin.take().expect("a pipe");
        let input = input.to_owned();
        let writer = std::thread::spawn(move || to_child.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("the child ends");
        // A program that does not read its input is no failure.
        let _ = writer.join();
        output
    };
    let native = output_of(&mut Command::new(program));
    assert!(native.status.success(), "{program} natively: {}", text(&native.stderr));
    assert!(!native.stdout.is_empty());
    let ours = output_of(&mut preloaded(program));
    assert_eq!(ours.status, native.status, "{program}: {}", text(&ours.stderr));
    assert_eq!(text(&ours.stderr), text(&native.stderr));
    assert!(ours.stdout == native.stdout, "{program} prints something else");
}

#[test]
fn perl_works() {
    let code = r#"
        my %h; $h{$_} = "x" x ($_ % 700) for 1 .. 20000; delete $h{$_ * 3} for 1 .. 6000;
        my @w = sort { length $a <=> length $b or $a cmp $b } map { "$_:$h{$_}" } keys %h;
        my $s = join ",", @w; $s =~ s/x+/length $&/ge;
        print scalar(@w), " ", length $s, " ", unpack("%32C*", $s), "\n"; print `echo child`;
    "#;
    is_unchanged("perl", &["-e", code], "");
}

#[test]
fn bash_works() {
    let code = "a=(); for i in {1..3000}; do a+=(\"$i$i\"); done; echo ${#a[@]} ${a[@]: -3}; \
                (echo sub; exit 3); echo $?; x=$(printf '%s\n' \"${a[@]}\" | wc -c); echo $x";
    is_unchanged("bash", &["--norc", "-c", code], "");
}

#[test]
fn sort_with_threads_works() {
    let mut lines = String::new();
    let mut word: u32 = 1;
    for _ in 0..200_000 {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        lines.push_str(&format!("{word}\n"));
    }
    // More lines than one thread takes for itself.
    is_unchanged("sort", &["-n", "--parallel=4", "--buffer-size=20M"], &lines);
}
