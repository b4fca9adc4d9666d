//! A file of targets, read anew when it changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Deserialize;

use super::targets::Target;
use super::{MAX_HOSTS, OPERATION, Settings, text};
use crate::domain::json::why_no_json;
use crate::domain::{ErrorKind, HostTrouble, SourceError};
use crate::files;

/// Larger files are no lists of targets, bytes.
const MAX_FILE: u64 = 4 << 20;

/// Most lines that are reported as wrong.
const MAX_TROUBLES: usize = 20;

/// Targets, and entries that are none.
type Found = (Arc<[Target]>, Arc<[HostTrouble]>);

/// A file of scrape targets.
#[derive(Debug)]
pub struct TargetsFile {
    path: PathBuf,
    shown: Arc<str>,
    /// When it was changed and how long it is, as of the last reading.
    stamp: Option<(SystemTime, u64)>,
    found: Found,
}

/// A group of Prometheus' `file_sd`.
#[derive(Deserialize)]
struct Group {
    targets: Vec<String>,
    #[serde(default)]
    labels: Labels,
}

/// The labels that say how targets are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Labels {
    #[serde(rename = "__scheme__")]
    scheme: Option<String>,
    #[serde(rename = "__metrics_path__")]
    path: Option<String>,
}

impl TargetsFile {
    /// A file that is read on first use.
    pub fn new(path: PathBuf) -> Self {
        let shown = text::clean(&path.to_string_lossy()).into();
        Self { path, shown, stamp: None, found: (Arc::default(), Arc::default()) }
    }

    /// Path of the file, clean text.
    pub fn shown(&self) -> &Arc<str> {
        &self.shown
    }

    /// Targets, and errors of invalid entries; the file is read again when it changed. Err when it cannot be read or
    /// parsed.
    pub fn targets(&mut self, settings: &Settings) -> Result<Found, Arc<SourceError>> {
        self.read(settings).map_err(Arc::new)?;
        Ok(self.found.clone())
    }

    fn read(&mut self, settings: &Settings) -> Result<(), SourceError> {
        let error = |e: std::io::Error| {
            let message = format!("{}: {}", self.path.display(), files::reason(&e));
            let fix = files::Cause::of(&e).advice();
            SourceError::new(ErrorKind::Other, OPERATION, &message, fix)
        };
        let meta = std::fs::metadata(&self.path).map_err(error)?;
        let stamp = meta.modified().ok().map(|at| (at, meta.len()));
        if stamp.is_some() && stamp == self.stamp {
            return Ok(());
        }
        let text = files::read_named(&self.path, MAX_FILE).map_err(error)?;
        let text = String::from_utf8(text)
            .map_err(|_| error(std::io::Error::from(files::Refused::NoText)))?;
        self.found = parse(&text, settings).map_err(|message| {
            let message = format!("{}: {message}", self.path.display());
            let fix = "write one target per line, or JSON as of Prometheus' file_sd";
            SourceError::new(ErrorKind::Malformed, OPERATION, &message, fix)
        })?;
        self.stamp = stamp;
        Ok(())
    }
}

/// Reads lines or `file_sd` JSON.
fn parse(text: &str, settings: &Settings) -> Result<Found, String> {
    let mut found = Vec::new();
    let mut troubles = Vec::new();
    let (mut entries, mut more) = (0, 0);
    let mut add = |name: &str, settings: &Settings| {
        entries += 1;
        if found.len() >= MAX_HOSTS {
            more += 1;
            return;
        }
        match Target::parse(name, settings) {
            Ok(target) => found.push(target),
            Err(error) if troubles.len() < MAX_TROUBLES => {
                // Not as it is written: it may hold a password.
                let host = format!("target {entries} of the file").into();
                troubles.push(HostTrouble { host, error: Arc::new(error) });
            }
            Err(_) => {}
        }
    };
    // `[` also begins an address.
    let json = text.trim_start().strip_prefix('[').map(str::trim_start);
    if json.is_some_and(|rest| rest.is_empty() || rest.starts_with(['{', ']'])) {
        let groups: Vec<Group> = serde_json::from_str(text).map_err(|e| why_no_json(&e))?;
        for group in groups {
            let Labels { scheme, path } = group.labels;
            let own = Settings {
                path: path.unwrap_or_else(|| settings.path.clone()),
                ..settings.clone()
            };
            for target in &group.targets {
                match &scheme {
                    Some(scheme) => add(&format!("{scheme}://{target}"), &own),
                    None => add(target, &own),
                }
            }
        }
    } else {
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                add(line, settings);
            }
        }
    }
    if more > 0 {
        let what = format!("{more} targets left out: at most {MAX_HOSTS} are read");
        let fix = "split the targets among several burntop runs";
        let error = SourceError::new(ErrorKind::Other, OPERATION, &what, fix);
        troubles.push(HostTrouble { host: "targets_file".into(), error: Arc::new(error) });
    }
    Ok((found.into(), troubles.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<String> {
        let (targets, _) = parse(text, &Settings::default()).unwrap();
        targets.iter().map(|t| t.url.to_string()).collect()
    }

    #[test]
    fn lines_and_file_sd_are_read() {
        let lines = "# the first rack\n10.0.0.1\n10.0.0.2:9401 # another port\n\n\
            https://gpu-3.example.com/gpu/metrics\nfd00::7\n[fd00::8]:9401\n";
        assert_eq!(
            urls(lines),
            [
                "http://10.0.0.1:9400/metrics",
                "http://10.0.0.2:9401/metrics",
                "https://gpu-3.example.com/gpu/metrics",
                "http://[fd00::7]:9400/metrics",
                "http://[fd00::8]:9401/metrics",
            ]
        );
        let json = r#" [ {"targets": ["a:9400", "b"], "labels": {"rack": "1"}},
            {"targets": ["c:1"], "labels": {"__scheme__": "https", "__metrics_path__": "/m"}} ]"#;
        assert_eq!(urls(json), ["http://a:9400/metrics", "http://b:9400/metrics", "https://c:1/m"]);
        assert_eq!(urls("[]"), [""; 0]);
    }

    #[test]
    fn what_is_no_target_is_said() {
        let (targets, troubles) =
            parse("good\nbad host\nhttp://u:p@x/\n", &Settings::default()).unwrap();
        assert_eq!(targets.len(), 1);
        let hosts: Vec<_> = troubles.iter().map(|t| &*t.host).collect();
        assert_eq!(hosts, ["target 2 of the file", "target 3 of the file"]);
        assert!(!format!("{troubles:?}").contains("u:p"), "a password is not shown");
        assert!(parse("[{", &Settings::default()).is_err());
    }
}
