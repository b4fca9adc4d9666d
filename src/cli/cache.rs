//! `burntop cache`: where the cache lies, what is in it, and emptying it.

use std::io::Write;
use std::path::Path;

use jiff::Timestamp;

use super::args::CacheCommand;
use super::exit::{CliError, Exit};
use super::tell::{say, tell};
use crate::cache::{Bills, Cache, CacheNotice, CacheStats, OpenOptions, ledger_path};
use crate::view::format::{age, bytes};

/// Runs one of the `cache` commands on the cache at `path`, bounded by `max_bytes`. Fails where the cache
/// cannot be cleared.
pub fn run(
    command: CacheCommand,
    path: &Path,
    max_bytes: u64,
    now: Timestamp,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    if command == CacheCommand::Path {
        writeln!(out, "{}", path.display())?;
        return Ok(Exit::Ok);
    }
    // Opening would make an empty one.
    if !path.exists() {
        writeln!(out, "there is no cache yet at {}", path.display())?;
        return Ok(Exit::Ok);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let options = OpenOptions { max_bytes, ..OpenOptions::new(path) };
        let (cache, notices) = Cache::open(options, now);
        let exit = match command {
            CacheCommand::Path => Exit::Ok,
            CacheCommand::Stats => {
                let stats = cache.stats().await;
                let bills = Bills::beside(path);
                write!(out, "{}", describe(&stats, max_bytes, &bills, now))?;
                if stats.memory_only { Exit::Unreadable } else { Exit::Ok }
            }
            CacheCommand::Clear => clear(&cache, out).await?,
        };
        cache.checked().await;
        let later = cache.take_notices();
        cache.close().await;
        for notice in notices.iter().chain(&later) {
            tell_notice(notice);
        }
        Ok(exit)
    })
}

async fn clear(cache: &Cache, out: &mut dyn Write) -> Result<Exit, CliError> {
    let before = cache.stats().await;
    if before.memory_only || !cache.clear().await {
        return Err(CliError::Failed {
            exit: Exit::Unreadable,
            message: format!(
                "the cache {} cannot be written; it stays as it is",
                cache.path().display()
            ),
        });
    }
    let after = cache.stats().await;
    let freed = before.file_bytes.saturating_sub(after.file_bytes);
    writeln!(
        out,
        "emptied {}: {} freed; the record of burntop's own cost stays in {}",
        cache.path().display(),
        bytes(freed as f64).trim(),
        ledger_path(cache.path()).display()
    )?;
    let bills = Bills::beside(cache.path());
    if bills.size().is_some() {
        writeln!(out, "imported bills stay in {}", bills.path().display())?;
    }
    Ok(Exit::Ok)
}

fn tell_notice(notice: &CacheNotice) {
    tell(notice.message());
    say(format_args!("         {}", notice.fix()));
}

/// The figures, one per line.
fn describe(stats: &CacheStats, max_bytes: u64, bills: &Bills, now: Timestamp) -> String {
    let size = |n: u64| bytes(n as f64).trim().to_owned();
    let day = |d: Option<jiff::civil::Date>| d.map_or("–".to_owned(), |d| d.to_string());
    let mut lines = vec![
        ("file".to_owned(), stats.path.display().to_string()),
        ("size".to_owned(), format!("{} of {}", size(stats.file_bytes), size(max_bytes))),
        ("wal".to_owned(), size(stats.wal_bytes)),
        ("metrics".to_owned(), format!("{} series, {} series days", stats.series, stats.chunks)),
        ("days".to_owned(), format!("{} to {}", day(stats.oldest_day), day(stats.newest_day))),
    ];
    for fact in &stats.facts {
        let newest = fact.newest.map_or_else(String::new, |t| {
            format!(", newest {} ago", age(now.duration_since(t).as_secs()).trim())
        });
        lines.push((
            fact.kind.clone(),
            format!("{} kept, {}{newest}", fact.count, size(fact.bytes)),
        ));
    }
    if let Some(bytes) = bills.size() {
        let text = format!("{} in {}, not counted above", size(bytes), bills.path().display());
        lines.push(("bills".to_owned(), text));
    }
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    lines.iter().fold(String::new(), |all, (name, text)| all + &format!("{name:<width$}  {text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::stats::FactStats;
    use std::fs;

    fn now() -> Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    fn run_at(command: CacheCommand, path: &Path) -> Result<(Exit, String), CliError> {
        let mut out = Vec::new();
        let exit = run(command, path, 1 << 24, now(), &mut out)?;
        Ok((exit, String::from_utf8(out).unwrap()))
    }

    #[test]
    fn looking_at_a_cache_that_is_not_there_makes_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("burntop.db");
        assert_eq!(
            run_at(CacheCommand::Path, &path).unwrap(),
            (Exit::Ok, format!("{}\n", path.display()))
        );
        for command in [CacheCommand::Stats, CacheCommand::Clear] {
            let (exit, text) = run_at(command, &path).unwrap();
            assert_eq!(exit, Exit::Ok);
            assert!(text.starts_with("there is no cache yet"), "{text}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn stats_and_clear_work_on_a_real_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("burntop.db");
        drop(Cache::open(OpenOptions::new(&path), now()));
        let bills = Bills::beside(&path);
        fs::write(bills.path(), [0; 1_000]).unwrap();
        let (exit, text) = run_at(CacheCommand::Stats, &path).unwrap();
        assert_eq!(exit, Exit::Ok);
        assert!(
            text.contains(&path.display().to_string())
                && text.contains("series days")
                && text.contains("bills.db"),
            "{text}"
        );
        let (exit, text) = run_at(CacheCommand::Clear, &path).unwrap();
        assert_eq!(exit, Exit::Ok);
        assert!(text.contains("own cost stays") && text.contains("imported bills stay"), "{text}");
        assert_eq!(bills.size(), Some(1_000));
    }

    #[test]
    fn the_figures_are_pinned() {
        let stats = CacheStats {
            path: "/home/op/.cache/burntop/burntop.db".into(),
            file_bytes: 42_000_000,
            wal_bytes: 4096,
            series: 1200,
            chunks: 16_800,
            oldest_day: Some(jiff::civil::date(2026, 2, 15)),
            newest_day: Some(jiff::civil::date(2026, 3, 1)),
            facts: vec![
                FactStats {
                    kind: "instances".into(),
                    count: 12,
                    bytes: 300_000,
                    newest: Some("2026-03-01T11:58:00Z".parse().unwrap()),
                },
                FactStats { kind: "prices".into(), count: 1, bytes: 9_000, newest: None },
            ],
            dropped: 0,
            memory_only: false,
        };
        let bills = Bills::beside(&stats.path);
        insta::assert_snapshot!(describe(&stats, 512_000_000, &bills, now()));
    }
}
