//! Programs that tests put in the place of real ones.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a script that can be run. Another process writes it: what a test that starts a program at
/// this moment inherits cannot be the script open for writing, which the kernel would not run.
pub(crate) fn write(path: &Path, text: &str) {
    let mut writer = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success(), "{}", path.display());
}
