//! `burntop man`: the manual in roff, from the same table as the help.

use std::io::Write;

use clap::CommandFactory;

use super::args::Cli;
use super::exit::CliError;
use crate::config::suggest::nearest;
use crate::domain::text;

/// Prints the manual page of burntop, or of one of its commands. Fails for an unknown command.
pub fn print(command: Option<&str>, out: &mut dyn Write) -> Result<(), CliError> {
    // The commit is not part of the manual: the page of a release is the same wherever it is made.
    let mut root = Cli::command().version(env!("CARGO_PKG_VERSION"));
    root.build();
    let page = match command {
        None => root,
        Some(name) => root.find_subcommand(name).cloned().ok_or_else(|| unknown(&root, name))?,
    };
    clap_mangen::Man::new(page).render(&mut { out }).map_err(CliError::from)
}

fn unknown(root: &clap::Command, name: &str) -> CliError {
    let names = root.get_subcommands().map(clap::Command::get_name);
    let hint = nearest(name, names).map(|n| format!("; did you mean `{n}`?"));
    CliError::Usage(format!("no command `{}`{}", text::clean(name), hint.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(command: Option<&str>) -> String {
        let mut out = Vec::new();
        print(command, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_page_is_pinned() {
        insta::assert_snapshot!(page(None));
    }

    #[test]
    fn a_command_has_a_page_of_its_own() {
        let page = page(Some("doctor"));
        assert!(page.contains(".TH burntop-doctor 1"), "{page}");
        assert!(page.contains("\\-\\-json"), "{page}");
    }

    #[test]
    fn an_unknown_command_is_a_usage_error() {
        let error = print(Some("docter"), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "no command `docter`; did you mean `doctor`?");
    }
}
