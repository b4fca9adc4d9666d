//! Writes files of what the screen shows, beside everything else.

use std::path::Path;

use tokio::sync::mpsc;

use crate::app::{Level, Msg, Notice, Picture};
use crate::files;
use crate::report::Format;

/// Writes a picture to a new file in the background, and sends the outcome to the screen.
pub(super) fn begin(messages: mpsc::Sender<Msg>, path: String, format: Format, picture: Picture) {
    let target = path.clone();
    let written = tokio::task::spawn_blocking(move || {
        files::create_whole(Path::new(&target), picture.written(format).as_bytes())
    });
    tokio::spawn(async move {
        let (level, said) = match written.await {
            Ok(Ok(())) => (Level::Info, format!("wrote {path}")),
            Ok(Err(error)) => {
                (Level::Error, format!("cannot write {path}: {}", files::explain(&error)))
            }
            Err(_) => (Level::Error, format!("cannot render {path}")),
        };
        // The screen may be gone already; there is nobody left to tell.
        let _ = messages.send(Msg::Notice(Notice::new(level, said))).await;
    });
}
