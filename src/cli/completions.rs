//! `burntop completions`: the completion script of a shell.

use std::io::{self, Write};

use clap::CommandFactory;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;

use super::args::Cli;
use super::list_options::LISTS;
use crate::analyze::idle::Preset;
use crate::view::{FieldSpec, FieldTable};

/// Prints the completion script of `shell`. Fails where it cannot be written.
pub fn print(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    // The generator panics when the writer fails, so it gets one that cannot.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "burntop", &mut script);
    out.write_all(&script)
}

/// The command line with words that it takes from elsewhere: built-in presets, the fields of each list.
fn command() -> clap::Command {
    let presets = PossibleValuesParser::new(Preset::ALL.map(Preset::name));
    let root = Cli::command().mut_arg("preset", |arg| arg.value_parser(presets));
    LISTS.iter().fold(root, |root, (path, fields)| with_fields(root, path, fields()))
}

fn with_fields(
    command: clap::Command,
    path: &'static [&'static str],
    table: &'static dyn FieldTable,
) -> clap::Command {
    if let [first, rest @ ..] = path {
        return command.mut_subcommand(first, |sub| with_fields(sub, rest, table));
    }
    let fields = || table.fields().iter().map(|f| PossibleValue::new(f.name).help(f.doc));
    // The generator takes names that live as long as the program, which ends with the script.
    let largest = |f: &FieldSpec| PossibleValue::new(&*format!("-{}", f.name).leak());
    let sorts =
        || fields().chain(table.fields().iter().map(|f| largest(f).help("the largest first")));
    command
        .mut_arg("columns", |arg| arg.value_parser(PossibleValuesParser::new(fields())))
        .mut_arg("sort", |arg| arg.value_parser(PossibleValuesParser::new(sorts())))
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

    #[test]
    fn presets_and_the_fields_of_each_list_are_completed() {
        // The others complete no values.
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut out = Vec::new();
            print(shell, &mut out).unwrap();
            let script = String::from_utf8(out).unwrap();
            // One of each: a preset, a field of instances, one of buckets, one of spot candidates.
            for word in
                ["aws-compute-optimizer", "covered_by", "sized_by", "because", "-covered_by"]
            {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
