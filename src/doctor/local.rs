//! What this machine alone can tell. The facts are gathered by the caller.

use std::path::PathBuf;

use super::Check;
use crate::cache::{CacheNotice, CacheStats};
use crate::config::{ConfigError, Loaded};
use crate::domain::{OwnCost, text};
use crate::view::format::{bytes, usd as dollars};

/// Id of the check of the configuration.
pub const CONFIG: &str = "config";
/// Id of the check of the terminal.
pub const TERMINAL: &str = "terminal";
/// Id of the check of the cache.
pub const CACHE: &str = "cache";
/// Id of the check of burntop's own cost.
pub const OWN_COST: &str = "own_cost";

/// The smallest terminal on which every screen has its full form, cells.
const FULL_SIZE: (u16, u16) = (80, 24);
/// The smallest terminal on which anything is drawn, cells.
const LEAST_SIZE: (u16, u16) = (20, 3);

/// Whether the configuration can be used, and its warnings.
pub fn config(loaded: Result<&Loaded, &ConfigError>) -> Check {
    match loaded {
        Err(error) => Check::fail(
            CONFIG,
            one_line(&error.to_string()),
            "mend the file; `burntop config check` shows each problem on its own line",
        ),
        Ok(loaded) => {
            let from = match &loaded.file {
                Some(file) => file.display().to_string(),
                None => "no file; defaults, flags and variables".into(),
            };
            match loaded.notices.as_slice() {
                [] => Check::ok(CONFIG, format!("{from}: fine")),
                [first, rest @ ..] => {
                    let more = match rest.len() {
                        0 => String::new(),
                        n => format!(" (and {n} more)"),
                    };
                    Check::warn(
                        CONFIG,
                        format!("{}{more}", one_line(&first.to_string())),
                        "`burntop config check` lists them all",
                    )
                }
            }
        }
    }
}

fn one_line(text: &str) -> String {
    text.lines().map(text::clean).collect::<Vec<_>>().join("; ")
}

/// Facts about the terminal, from the environment and the size that the kernel keeps; the terminal itself is
/// not queried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalFacts {
    /// Whether standard output is a terminal.
    pub is_terminal: bool,
    /// Columns and rows; `None` where not known.
    pub size: Option<(u16, u16)>,
    /// `TERM`; `None` when unset.
    pub term: Option<String>,
    /// Colour depth as text: `24-bit colour`.
    pub colors: &'static str,
    /// Whether glyphs beyond ASCII are drawn.
    pub unicode: bool,
}

/// Whether the cockpit can run on the terminal.
pub fn terminal(facts: &TerminalFacts) -> Check {
    if !facts.is_terminal {
        let text = "the output is no terminal; the cockpit needs one, the reports do not";
        return Check::skip(TERMINAL, text);
    }
    let term = facts.term.as_deref().unwrap_or("unset");
    let glyphs = if facts.unicode { "Unicode" } else { "ASCII" };
    let (columns, rows) = match facts.size {
        Some((c, r)) if c > 0 && r > 0 => (c, r),
        _ => {
            return Check::warn(
                TERMINAL,
                "the terminal does not tell its size",
                "set COLUMNS and LINES, or run `stty cols 80 rows 24`",
            );
        }
    };
    let found = format!("{columns}×{rows}, TERM={}, {}, {glyphs}", text::clean(term), facts.colors);
    if columns < LEAST_SIZE.0 || rows < LEAST_SIZE.1 {
        let least = format!("{}×{}", LEAST_SIZE.0, LEAST_SIZE.1);
        return Check::warn(
            TERMINAL,
            format!("{found}: too small to draw anything"),
            format!("make it {least} at least; {}×{} shows everything", FULL_SIZE.0, FULL_SIZE.1),
        );
    }
    if matches!(facts.term.as_deref(), None | Some("dumb")) {
        return Check::warn(
            TERMINAL,
            found,
            "set TERM to what the terminal is, for example xterm-256color",
        );
    }
    if columns < FULL_SIZE.0 || rows < FULL_SIZE.1 {
        return Check::warn(
            TERMINAL,
            format!("{found}: small, columns are left out"),
            format!("{}×{} shows everything", FULL_SIZE.0, FULL_SIZE.1),
        );
    }
    if !facts.unicode {
        return Check::warn(
            TERMINAL,
            found,
            "for finer graphs set a UTF-8 locale, for example LC_ALL=C.UTF-8",
        );
    }
    Check::ok(TERMINAL, found)
}

/// Facts about the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheFacts {
    /// `--no-cache` was given.
    Off,
    /// No directory for it is known; holds the reason.
    NoPlace(String),
    /// The cache did not open in time; holds its path.
    Stuck(PathBuf),
    /// The cache was opened, checked and closed.
    Open {
        /// Counts and sizes.
        stats: CacheStats,
        /// Notices from opening and closing.
        notices: Vec<CacheNotice>,
        /// Configured limit, bytes.
        max_bytes: u64,
    },
}

/// Whether the cache opens, is intact and within its limit.
pub fn cache(facts: &CacheFacts) -> Check {
    match facts {
        CacheFacts::Off => Check::skip(CACHE, "kept in memory, as asked"),
        CacheFacts::NoPlace(why) => {
            Check::warn(CACHE, one_line(why), "set HOME or BURNTOP_CACHE_PATH")
        }
        CacheFacts::Stuck(path) => Check::fail(
            CACHE,
            format!("{} did not open in time", path.display()),
            "see whether another program holds the file, or whether its disk hangs",
        ),
        CacheFacts::Open { stats, notices, max_bytes } => {
            if let Some(notice) = notices.first() {
                return Check::warn(CACHE, notice.message(), notice.fix());
            }
            let size = |n: u64| bytes(n as f64).trim().to_owned();
            Check::ok(
                CACHE,
                format!(
                    "{}: writable, whole, {} of {}",
                    stats.path.display(),
                    size(stats.file_bytes),
                    size(*max_bytes)
                ),
            )
        }
    }
}

/// Cost of burntop itself today against its cap; `None` = the ledger could not be read.
pub fn own_cost(cost: Option<&OwnCost>) -> Check {
    let Some(cost) = cost else {
        return Check::skip(OWN_COST, "the ledger of burntop's own cost is not open");
    };
    let (spent, cap) = (cost.today_usd(), cost.cap_usd());
    let text = format!("{} of {} spent today (UTC)", dollars(spent).trim(), dollars(cap).trim());
    if let Some(trouble) = &cost.trouble {
        return Check::fail(OWN_COST, one_line(&trouble.why), trouble.fix);
    }
    if cost.is_capped() {
        return Check::warn(
            OWN_COST,
            format!("{text}: metrics come from the cache until midnight UTC"),
            "raise `own_cost.cap_usd_per_day`, or wait",
        );
    }
    if !cost.shared {
        return Check::warn(
            OWN_COST,
            format!("{text}, by this process alone: the shared ledger cannot be made"),
            "make the cache's directory writable",
        );
    }
    Check::ok(OWN_COST, text)
}

#[cfg(test)]
mod tests;
