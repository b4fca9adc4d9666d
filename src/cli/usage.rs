//! Values on the command line that cannot be used, in words.

use std::error::Error;
use std::num::{ParseFloatError, ParseIntError};

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::Cli;

/// The error with what is wanted instead of what a parser of the library says; others as they are.
pub(super) fn in_words(error: clap::Error) -> clap::Error {
    let wanted =
        error.source().and_then(wanted).filter(|_| error.kind() == ErrorKind::ValueValidation);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match (wanted, text(ContextKind::InvalidArg), text(ContextKind::InvalidValue)) {
        (Some(wanted), Some(option), Some(value)) => {
            let message = format!("invalid value '{value}' for '{option}': {wanted} is wanted\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(&Cli::command())
        }
        _ => error,
    }
}

/// What is wanted, by the error of a parser; `None` where that says it itself.
fn wanted(source: &(dyn Error + 'static)) -> Option<String> {
    if source.is::<ParseIntError>() {
        return Some("a whole number".to_owned());
    }
    if source.is::<ParseFloatError>() {
        return Some("a number".to_owned());
    }
    if source.is::<jiff::Error>() {
        return Some("a time like 2026-12-31T18:00:00Z".to_owned());
    }
    // `99 is not in 1..=53`.
    let said = source.to_string();
    let (least, most) = said.split_once(" is not in ")?.1.split_once("..=")?;
    Some(format!("a whole number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn numbers_and_times_that_are_none_are_told_what_is_wanted() {
        for (line, says) in [
            ("--demo-seed x", "invalid value 'x' for '--demo-seed <S>': a whole number is wanted"),
            (
                "--demo-size 0",
                "invalid value '0' for '--demo-size <N>': a whole number from 1 to 10000 is wanted",
            ),
            (
                "storage tiers --reads-per-month x",
                "invalid value 'x' for '--reads-per-month <N>': a number is wanted",
            ),
            (
                "--now yesterday",
                "invalid value 'yesterday' for '--now <RFC3339>': a time like 2026-12-31T18:00:00Z \
                 is wanted",
            ),
            (
                "idle --limit 0",
                "invalid value '0' for '--limit <N>': a whole number from 1 is wanted",
            ),
            ("--speed x", "a number from 0.01 to 100000 is wanted"),
            (
                "idle --limit x",
                "invalid value 'x' for '--limit <N>': a whole number from 1 is wanted",
            ),
        ] {
            let words = ["burntop"].into_iter().chain(line.split(' '));
            let error = in_words(Cli::try_parse_from(words).unwrap_err());
            assert_eq!(error.exit_code(), 2, "{line}");
            let text = error.render().to_string();
            assert!(text.contains(says), "{line}: {text}");
            for raw in ["invalid digit", "float literal", "is not in", "failed to parse"] {
                assert!(!text.contains(raw), "{line}: {text}");
            }
        }
    }
}
