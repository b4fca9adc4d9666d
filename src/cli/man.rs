//! `burntop man`: the manual in roff, from the same table as the help.

use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;

use super::args::Cli;
use super::exit::{CliError, Exit};
use crate::domain::suggest::nearest;
use crate::domain::text;
use crate::files;
use crate::view::format;

/// Prints the manual page of burntop, or of the command at `path`. Fails for an unknown command.
pub fn print(path: &[String], out: &mut dyn Write) -> Result<(), CliError> {
    let root = root();
    // `burntop man storage buckets`, or by the name of its page: `storage-buckets`.
    let named = match path {
        [name] => {
            let name = format!("burntop-{name}");
            pages(&root).into_iter().find(|page| name_of(page) == name).cloned()
        }
        _ => None,
    };
    let page = match named {
        Some(page) => page,
        None => path.iter().try_fold(root, |command, name| below(&command, name))?,
    };
    render(page, out)
}

/// Writes the pages of burntop and all its commands to a directory, and says how many. Fails where one cannot be
/// written.
pub fn write_all(dir: &Path, out: &mut dyn Write) -> Result<(), CliError> {
    let failed = |path: &Path, error: &io::Error| CliError::Failed {
        exit: Exit::Unreadable,
        message: format!("cannot write {}: {}", path.display(), files::explain(error)),
    };
    files::private_dir(dir).map_err(|e| failed(dir, &e))?;
    let root = root();
    let all = pages(&root);
    for page in &all {
        let mut bytes = Vec::new();
        render((*page).clone(), &mut bytes)?;
        let path = dir.join(format!("{}.1", name_of(page)));
        let written = match files::create_whole(&path, &bytes) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => files::replace(&path, &bytes),
            other => other,
        };
        written.map_err(|e| failed(&path, &e))?;
    }
    writeln!(out, "wrote {} to {}", format::plural(all.len(), "page"), dir.display())?;
    Ok(())
}

/// The command line. The commit is not part of the manual: the page of a release is the same wherever it is made.
fn root() -> clap::Command {
    let mut root = Cli::command().version(env!("CARGO_PKG_VERSION"));
    root.build();
    root
}

/// The command and all below it that have a page.
fn pages(command: &clap::Command) -> Vec<&clap::Command> {
    let below = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    std::iter::once(command).chain(below.flat_map(pages)).collect()
}

/// Name of a command's page: `burntop-storage-buckets`.
fn name_of(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn render(page: clap::Command, out: &mut dyn Write) -> Result<(), CliError> {
    clap_mangen::Man::new(page).render(&mut { out }).map_err(CliError::from)
}

/// The subcommand of this name; fails with the nearest one.
fn below(command: &clap::Command, name: &str) -> Result<clap::Command, CliError> {
    command.find_subcommand(name).cloned().ok_or_else(|| {
        let names = command.get_subcommands().map(clap::Command::get_name);
        let hint = nearest(name, names).map(|n| format!("; did you mean `{n}`?"));
        let name = text::clean(name);
        CliError::Usage(format!("no command `{name}`{}", hint.unwrap_or_default()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &[&str]) -> String {
        let mut out = Vec::new();
        let path: Vec<String> = path.iter().map(|word| (*word).to_owned()).collect();
        print(&path, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_page_is_pinned() {
        insta::assert_snapshot!(page(&[]));
    }

    #[test]
    fn a_command_has_a_page_of_its_own() {
        let doctor = page(&["doctor"]);
        assert!(doctor.contains(".TH burntop-doctor 1"), "{doctor}");
        assert!(doctor.contains("\\-\\-json"), "{doctor}");
        let buckets = page(&["storage", "buckets"]);
        assert!(buckets.contains(".TH burntop-storage-buckets 1"), "{buckets}");
        assert_eq!(buckets, page(&["storage-buckets"]));
    }

    #[test]
    fn an_unknown_command_is_a_usage_error() {
        let error = print(&["docter".to_owned()], &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "no command `docter`; did you mean `doctor`?");
    }

    #[test]
    fn every_command_gets_its_page_in_the_directory_and_again() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("man1");
        for _ in 0..2 {
            let mut said = Vec::new();
            write_all(&dir, &mut said).unwrap();
            let said = String::from_utf8(said).unwrap();
            let count = std::fs::read_dir(&dir).unwrap().count();
            assert!(said.starts_with(&format!("wrote {count} pages to ")), "{said}");
        }
        for name in ["burntop.1", "burntop-idle.1", "burntop-storage-lifecycle-plan.1"] {
            let text = std::fs::read_to_string(dir.join(name)).unwrap();
            assert!(text.contains(&format!(".TH {} 1", name.trim_end_matches(".1"))), "{name}");
        }
    }
}
