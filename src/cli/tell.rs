//! Messages on standard error, beside the report.

use std::fmt::Display;
use std::io::{Write, stderr};

use super::output;
use super::session::terminal_width;
use crate::config::Env;
use crate::view::room::wrapped;

/// Prints a message to standard error, wrapped where that is a terminal; ignores a closed one.
pub fn tell(message: impl Display) {
    say(format_args!("burntop: {message}"));
}

/// As [`tell`], without the name of the program.
pub fn say(message: impl Display) {
    let text = fitted(&message.to_string(), terminal_width(&stderr(), &Env::of_process()));
    let _ = output::stderr().write_all(text.as_bytes());
}

/// The lines of a message, each at most `width` columns wide.
fn fitted(message: &str, width: Option<u16>) -> String {
    wrapped(format!("{message}\n"), width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::room::columns;

    #[test]
    fn messages_fit_the_terminal_and_lose_no_word() {
        let message = "burntop: s3 111122223333/us-east-1: 89% was read: s3:GetBucketTagging: \
                       AccessDenied: a policy of the bucket denies it; ask the owner of the bucket\n\
                       billed: $0.0124 so far";
        for width in [20, 40, 80, 200] {
            let text = fitted(message, Some(width));
            assert!(text.lines().all(|line| columns(line) <= usize::from(width)), "{text}");
            let words = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(words(&text), words(message), "{width}");
        }
        assert_eq!(fitted(message, None), format!("{message}\n"));
    }
}
