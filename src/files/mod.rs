//! Every file is opened here: none blocks, none of ours is reached through a link, and what is made
//! is for its owner alone.
//!
//! Two kinds of file are told apart. What burntop *writes* (cache, ledger, log, tape, audit log,
//! plan, approval, undo, view, scenario, export, crash report) is its own: a symbolic link in its
//! place is refused, never followed, and no target of one is changed. What a person *names* to be
//! read (a list, a policy, a token) may be a link, as long as a regular file lies at its end; a
//! configuration behind a link must besides be out of the reach of others.
//!
//! | file | holds |
//! |---|---|
//! | `cause` | why a file cannot be had, and what to do about it |
//! | `open` | opening and reading |
//! | `write` | new files, whole files, locks |

mod cause;
mod open;
#[cfg(test)]
mod tests;
mod write;

pub use cause::{Cause, Refused, explain, reason};
pub use open::{append, check_own, named, own, read_config, read_named, read_own, update};
pub use write::{create_new, create_whole, lock, private_dir, replace, replace_for_others};
