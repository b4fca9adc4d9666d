//! A file of JSON lines, `burntop/alert/1`.

use std::path::Path;

use super::error::SendError;
use super::json_lines;
use crate::files;
use crate::watch::body::alert_json;
use crate::watch::message::Message;

/// Appends a message, off the workers: the disk may be slow.
pub async fn send(path: &Path, message: &Message) -> Result<(), SendError> {
    let (line, own) = (alert_json(message), path.to_owned());
    let written = tokio::task::spawn_blocking(move || json_lines::append(&own, &line)).await;
    let why = match written {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => files::explain(&error),
        Err(_) => "writing was cut short".to_owned(),
    };
    let fix = "name a file that this user may write, in a directory that is there";
    Err(SendError::later(format!("{}: {why}", path.display()), fix))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::error::Retry;
    use super::super::testing::message;
    use super::*;

    #[tokio::test]
    async fn each_message_is_a_line_of_json() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("alerts.jsonl");
        let odd = Message { title: "line\nfeed".into(), ..message() };
        for message in [message(), odd] {
            send(&path, &message).await.unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["schema"], "burntop/alert/1");
        assert_eq!(lines[1]["title"], "line\nfeed");
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_is_told_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none/alerts.jsonl");
        let error = send(&path, &message()).await.unwrap_err();
        assert!(error.message.contains("none/alerts.jsonl: "), "{error}");
        assert_eq!(error.retry, Retry::After(None), "the directory may be made");
    }
}
