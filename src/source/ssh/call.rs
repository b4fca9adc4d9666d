//! Calls of `ssh` and other programs: bounded in what is read, ended with whoever waits for them.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use super::csv::MAX_LINE;
use super::error::{self, Ended};
use super::target::{Login, Target};
use crate::domain::SourceError;

/// Most bytes that are kept of standard error: its end, where the reason is.
const MAX_SAID: usize = 8_192;

/// Most bytes that are read of one short answer. The help of the query is 30 kB.
const MAX_ANSWER: u64 = 262_144;

/// The longest wait for a short answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(15);

/// How long standard error is waited for after the end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A running program, such as `ssh`, in its own process group, which is ended with it.
pub(in crate::source) struct Call {
    child: Child,
    said: tokio::task::JoinHandle<String>,
}

impl Drop for Call {
    fn drop(&mut self) {
        // Helpers of ssh (a proxy command) are in its group. Once it was waited for there is no id.
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
        self.said.abort();
    }
}

impl Call {
    /// Starts `command` on a host; returns the call and its standard output. Err when `ssh` cannot be started.
    pub fn start(
        login: &Login,
        target: &Target,
        command: &str,
    ) -> Result<(Self, ChildStdout), SourceError> {
        let mut ssh = Command::new(&login.program);
        ssh.args(login.arguments(target, command));
        Self::spawn(ssh).map_err(|e| error::not_started(&e))
    }

    /// Starts a program without input; returns the call and its standard output. Err when it cannot be started.
    pub fn spawn(mut program: Command) -> std::io::Result<(Self, ChildStdout)> {
        let mut child = program
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(std::io::Error::other("no pipes"));
        };
        let said = tokio::spawn(tail(err));
        Ok((Self { child, said }, out))
    }

    /// Waits for the end and returns exit status and error output; `odd` are lines of standard output that were no
    /// data.
    pub async fn end(mut self, odd: &str) -> Ended {
        let code = match tokio::time::timeout(ANSWER_LIMIT, self.child.wait()).await {
            Ok(status) => status.ok().and_then(|s| s.code()),
            Err(_) => None,
        };
        let said = tokio::time::timeout(LAST_WORDS, &mut self.said).await;
        let mut said = said.ok().and_then(Result::ok).unwrap_or_default();
        said.push('\n');
        said.push_str(odd);
        Ended { code, said }
    }
}

/// The end of a stream, all of which is read, so that the writer never waits.
async fn tail(mut from: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 1_024]);
    while let Ok(n) = from.read(&mut buffer).await {
        let Some(new) = buffer.get(..n).filter(|new| !new.is_empty()) else { break };
        kept.extend_from_slice(new);
        if kept.len() > 2 * MAX_SAID {
            kept.drain(..kept.len() - MAX_SAID);
        }
    }
    kept.drain(..kept.len().saturating_sub(MAX_SAID));
    String::from_utf8_lossy(&kept).into_owned()
}

/// Output of a short command. Err when it fails, takes too long, or prints too much.
pub(super) async fn answer(
    login: &Login,
    target: &Target,
    command: &str,
) -> Result<String, SourceError> {
    let work = async {
        let (call, out) = Call::start(login, target, command)?;
        let mut bytes = Vec::new();
        let _ = out.take(MAX_ANSWER + 1).read_to_end(&mut bytes).await;
        if bytes.len() as u64 > MAX_ANSWER {
            // What is cut off may be a GPU, or the process that uses it.
            return Err(error::too_long(MAX_ANSWER));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let ended = call.end("").await;
        if ended.code == Some(0) {
            return Ok(text);
        }
        let said = format!("{}\n{text}", ended.said);
        Err(error::explain(&Ended { said, ..ended }))
    };
    tokio::time::timeout(ANSWER_LIMIT, work).await.unwrap_or_else(|_| Err(error::silent()))
}

/// Reads the lines of a stream; one that is too long is skipped.
pub(super) struct LineReader<R> {
    from: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads lines of `from`.
    pub fn new(from: R) -> Self {
        Self { from: BufReader::new(from), line: Vec::new() }
    }

    /// The next line; `None` at the end or on an error.
    pub async fn next(&mut self) -> Option<String> {
        let mut too_long = false;
        loop {
            let chunk = self.from.fill_buf().await.ok()?;
            if chunk.is_empty() {
                // A last line without an end is half a line.
                return None;
            }
            let end = memchr::memchr(b'\n', chunk);
            let taken = end.unwrap_or(chunk.len());
            too_long |= self.line.len() + taken > MAX_LINE;
            if !too_long {
                self.line.extend_from_slice(&chunk[..taken]);
            }
            let used = end.map_or(taken, |at| at + 1);
            self.from.consume(used);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if !too_long {
                    return Some(String::from_utf8_lossy(&line).into_owned());
                }
                too_long = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_bounded() {
        let mut text = b"one\n".to_vec();
        text.extend(vec![b'x'; 3 * MAX_LINE]);
        text.extend(b"\ntwo\r\n\xff\nhalf");
        let mut lines = LineReader::new(&text[..]);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await {
            read.push(line);
        }
        assert_eq!(read, ["one", "two\r", "\u{FFFD}"]);
    }

    #[tokio::test]
    async fn of_a_flood_the_end_is_kept() {
        let mut flood = vec![b'x'; 10 * MAX_SAID];
        flood.extend(b"the reason");
        let kept = tail(&flood[..]).await;
        assert_eq!(kept.len(), MAX_SAID);
        assert!(kept.ends_with("the reason"));
    }
}
