//! `burntop completions`: the completion script of a shell.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;

/// Prints the completion script of `shell`. Fails where it cannot be written.
pub fn print(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    // The generator panics when the writer fails, so it gets one that cannot.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "burntop", &mut script);
    out.write_all(&script)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in Shell::value_variants() {
            let mut out = Vec::new();
            print(*shell, &mut out).unwrap();
            let script = String::from_utf8(out).unwrap();
            for word in ["iam-policy", "demo-size", "overview"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
