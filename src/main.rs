//! The command `cmc(1)`.

fn main() -> std::process::ExitCode {
    cmc::cli::main(std::env::args_os().skip(1).collect()).into()
}
