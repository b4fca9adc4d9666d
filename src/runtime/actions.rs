//! What burntop did: the newest part of the audit log, read beside the screen.

use std::sync::Arc;

use super::Running;
use crate::app::Msg;
use crate::cli::acting;
use crate::cli::audit::shown;
use crate::cli::invocation::Invocation;
use crate::domain::text;
use crate::report::acting::{actions, runs};
use crate::tabs::actions::picture::ActionsPicture;

/// Bytes of the log that are read, from its end: a stop of fifty instances takes about 100 kB.
const MOST: u64 = 8 << 20;

impl Running {
    /// Reads the log on a thread of its own.
    pub(super) fn read_actions(&self, round: u64) {
        let (invocation, messages) = (self.invocation.clone(), self.messages.clone());
        tokio::task::spawn_blocking(move || {
            let answer = read(&invocation).map(Arc::new);
            // The screen may be gone already; there is nobody left to tell.
            let _ = messages.blocking_send(Msg::Actions(round, answer));
        });
    }
}

/// What the log holds; the error is one sentence.
fn read(invocation: &Invocation) -> Result<ActionsPicture, String> {
    let journal = acting::journal(invocation).map_err(|error| error.to_string())?;
    let dir = acting::audit_dir(invocation).map_err(|error| error.to_string())?;
    let recent = journal.recent(MOST).map_err(|error| error.to_string())?;
    let path = dir.join("audit.jsonl");
    Ok(ActionsPicture {
        rows: actions(&runs(&shown(recent.lines))),
        damaged: recent.damaged,
        left_out: recent.left_out,
        file: text::clean(&path.display().to_string()).into_owned(),
    })
}
