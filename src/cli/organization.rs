//! The accounts of an organisation, found before a run begins: the list, kept on disk for when it
//! cannot be had, becomes entries like those of the configuration.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::invocation::{RunOptions, cache_file};
use crate::config::{Config, Found, OrganizationConfig, Paths, Target};
use crate::domain::cleaned::Cleaned;
use crate::domain::{Member, SourceError, is_account_id, is_due, is_partition};
use crate::files;
use crate::source::aws::{AccountSource, connect};

/// How old a list may be that is used without asking again: accounts come and go by the day.
const FRESH: SignedDuration = SignedDuration::from_hours(1);

/// How long a run waits for the whole list: thousands of accounts come in hundreds of pages. A service
/// that is silent is given up earlier, with its first page.
const WITHIN: Duration = Duration::from_mins(1);

/// The largest kept list, bytes: some 200 for each of at most tens of thousands of accounts.
const LARGEST: u64 = 16 << 20;

/// Whether a run waits for a new list of accounts where an older one exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Wait, so that the output is current.
    ForNews,
    /// Use the older list; the new one is there for the next run.
    ForNothing,
    /// Make no call; for output that does not depend on the newest list.
    NoCall,
}

/// Accounts of an organisation, as found for a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Organization {
    /// Every account, with its label or the reason it is left out.
    pub found: Vec<Found>,
    /// Time of the list; `None` where there is no list.
    pub listed_at: Option<Timestamp>,
    /// Why the list could not be read in this run; `None` where it was.
    pub trouble: Option<SourceError>,
}

impl Organization {
    /// One sentence when the list could not be read: what is used instead, and what to do; else `None`.
    pub fn notice(&self, now: Timestamp) -> Option<String> {
        let trouble = self.trouble.as_ref()?;
        let instead = match self.listed_at {
            Some(at) => format!("the accounts listed {} ago are read", age(at, now)),
            None => "no account of the organization is read".to_owned(),
        };
        let fix = if trouble.fix.is_empty() { String::new() } else { format!(". {}", trouble.fix) };
        Some(format!("the accounts cannot be listed: {}; {instead}{fix}", trouble.message))
    }
}

/// Age of `at`, in the largest unit of which there are at least two: `3 h`.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let minutes = now.duration_since(at).as_mins().max(0);
    match minutes {
        0..120 => format!("{minutes} min"),
        120..2_880 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1_440),
    }
}

/// A list as it is kept on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Listing {
    /// Profile of the account that has the list.
    profile: Option<String>,
    listed_at: Timestamp,
    members: Vec<Member>,
}

/// Lists the accounts of the organisation and appends them to the configured targets. `None` where no
/// organisation is configured, or the run asks no real account.
pub fn find(
    config: &mut Config,
    options: &RunOptions,
    paths: Option<&Paths>,
    wait: Wait,
) -> Option<Organization> {
    let section = config.organization.clone().filter(|o| o.is_read)?;
    if options.demo.is_some() || options.tape.is_some() || options.this_host {
        return None;
    }
    let file = (!options.no_cache).then(|| file(config, paths)).flatten();
    let kept = file.as_deref().and_then(|file| read(file, &section));
    let (listing, trouble) = if options.offline || wait == Wait::NoCall {
        (kept, None)
    } else {
        listed(&section, file.as_deref(), kept, options.now(), wait)
    };
    let listed_at = listing.as_ref().map(|l| l.listed_at);
    let members = listing.map(|l| l.members).unwrap_or_default();
    let found = merge(config, &section, &members);
    Some(Organization { found, listed_at, trouble })
}

/// The list of this run, and why there is no new one.
fn listed(
    section: &OrganizationConfig,
    file: Option<&Path>,
    kept: Option<Listing>,
    now: Timestamp,
    wait: Wait,
) -> (Option<Listing>, Option<SourceError>) {
    let is_fresh = |l: &Listing| !is_due(Some(l.listed_at), FRESH, now);
    if kept.as_ref().is_some_and(is_fresh) {
        return (kept, None);
    }
    if wait == Wait::ForNothing && kept.is_some() {
        let (section, file) = (section.clone(), file.map(Path::to_owned));
        // It ends with the process, at the latest.
        std::thread::spawn(move || ask(&section, file.as_deref()));
        return (kept, None);
    }
    match ask(section, file) {
        Ok(listing) => (Some(listing), None),
        Err(error) => (kept, Some(error)),
    }
}

/// Asks for the list and keeps it.
fn ask(section: &OrganizationConfig, file: Option<&Path>) -> Result<Listing, SourceError> {
    let failed = |message: &str| {
        let action = "organizations:ListAccounts";
        SourceError::new(crate::domain::ErrorKind::Timeout, action, message, "")
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| failed(&e.to_string()))?;
    let provider = connect(source(section));
    let within = format!("no list within {} s", WITHIN.as_secs());
    let answer = runtime.block_on(async { tokio::time::timeout(WITHIN, provider.members()).await });
    // A thread that still waits for a name server is not waited for.
    runtime.shutdown_background();
    let members = answer.map_err(|_| failed(&within))??;
    let profile = section.profile.clone();
    let listing = Listing { profile, listed_at: Timestamp::now(), members };
    if let Some(file) = file
        && let Err(error) = keep(file, &listing)
    {
        tracing::warn!("the list of accounts cannot be kept: {}", files::explain(&error));
    }
    Ok(listing)
}

/// Account source whose credentials list the accounts.
fn source(section: &OrganizationConfig) -> AccountSource {
    AccountSource {
        label: "organization".into(),
        profile: section.profile.clone(),
        assume_role: None,
        region_hint: None,
    }
}

/// Beside the cache, which is as private.
fn file(config: &Config, paths: Option<&Paths>) -> Option<PathBuf> {
    let cache = cache_file(config, paths, None).ok()?;
    Some(cache.with_file_name("organization.json"))
}

/// The kept list of these credentials; `None` where there is none that can be used.
fn read(file: &Path, section: &OrganizationConfig) -> Option<Listing> {
    let bytes = files::read_own(file, LARGEST).ok()?;
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let listing = Listing::deserialize(Cleaned::new(&mut json)).ok()?;
    let is_sound =
        listing.members.iter().all(|m| is_account_id(&m.id) && is_partition(&m.partition));
    (is_sound && listing.profile == section.profile).then_some(listing)
}

fn keep(file: &Path, listing: &Listing) -> std::io::Result<()> {
    if let Some(dir) = file.parent() {
        files::private_dir(dir)?;
    }
    files::replace(file, &serde_json::to_vec(listing)?)
}

/// Puts the accounts behind the typed entries. The default credentials, which stand for "nothing was
/// typed", give way to what was found.
fn merge(config: &mut Config, section: &OrganizationConfig, members: &[Member]) -> Vec<Found> {
    let typed = |t: &&Target| !is_default(t);
    let entries: Vec<Target> = config.targets.iter().filter(typed).cloned().collect();
    let (found, new) = section.entries(members, &entries);
    if !new.is_empty() {
        config.targets = entries;
        config.targets.extend(new);
    }
    found
}

/// True for the entry that stands where nobody typed one.
fn is_default(target: &Target) -> bool {
    let Target { label, profile, role_arn, account_id, .. } = target;
    label == "default"
        && profile.is_none()
        && role_arn.is_none()
        && account_id.is_none()
        && !target.is_pinned()
        && !target.allow_actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Env, FileConfig, Vocabulary, load, load::Sources};

    fn config(source: &str) -> Config {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, source).unwrap();
        let (env, flags) = (Env::default(), FileConfig::default());
        let sources = Sources { paths: None, file: Some(&path), env: &env, flags };
        load(&sources, &Vocabulary::default()).unwrap().config
    }

    fn member(id: &str, name: &str) -> Member {
        let (partition, state) = ("aws".to_owned(), "ACTIVE".to_owned());
        Member { id: id.to_owned(), name: name.to_owned(), partition, state }
    }

    fn listing(members: Vec<Member>) -> Listing {
        let listed_at = "2026-11-20T03:00:00Z".parse().unwrap();
        Listing { profile: Some("main".into()), listed_at, members }
    }

    #[test]
    fn found_accounts_stand_behind_typed_ones_and_instead_of_the_default_one() {
        let labels = |config: &Config| -> Vec<String> {
            config.targets.iter().map(|t| t.label.clone()).collect()
        };
        let mut bare = config("[organization]\n");
        let section = bare.organization.clone().unwrap();
        assert_eq!(labels(&bare), ["default"]);
        merge(&mut bare, &section, &[]);
        assert_eq!(labels(&bare), ["default"], "nothing was found");
        merge(&mut bare, &section, &[member("111111111111", "a")]);
        assert_eq!(labels(&bare), ["a"]);
        let mut typed = config("profiles = ['p']\n[organization]\n");
        merge(&mut typed, &section, &[member("111111111111", "a")]);
        assert_eq!(labels(&typed), ["p", "a"]);
    }

    #[test]
    fn a_kept_list_is_that_of_the_same_credentials_and_clean_or_it_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("deep/organization.json");
        let main = config("[organization]\nprofile = 'main'\n").organization.unwrap();
        let other = config("[organization]\n").organization.unwrap();
        assert_eq!(read(&file, &main), None);
        let good = listing(vec![member("111111111111", "a\u{1b}[2J")]);
        keep(&file, &good).unwrap();
        let back = read(&file, &main).unwrap();
        assert_eq!(back.members, [member("111111111111", "a\u{fffd}[2J")]);
        assert_eq!(read(&file, &other), None, "another profile, another organization");
        for broken in [
            listing(vec![member("11111111111", "short")]),
            listing(vec![member("11111111111/", "path")]),
            listing(vec![Member { partition: "aws:iam::9".into(), ..member("111111111111", "x") }]),
        ] {
            keep(&file, &broken).unwrap();
            assert_eq!(read(&file, &main), None, "{broken:?}");
        }
        std::fs::write(&file, "{").unwrap();
        assert_eq!(read(&file, &main), None);
    }

    #[test]
    fn nothing_is_asked_in_the_demo_offline_or_where_the_list_is_fresh() {
        let dir = tempfile::tempdir().unwrap();
        let cache = dir.path().join("burntop.db");
        let source =
            format!("cache.path = '{}'\n[organization]\nprofile = 'main'\n", cache.display());
        let kept = listing(vec![member("111111111111", "a")]);
        keep(&cache.with_file_name("organization.json"), &kept).unwrap();
        let found = |options: RunOptions, wait: Wait| {
            let mut config = config(&source);
            let found = find(&mut config, &options, None, wait);
            let labels: Vec<String> = config.targets.into_iter().map(|t| t.label).collect();
            (found, labels.concat())
        };
        let soon = kept.listed_at + SignedDuration::from_mins(59);
        let fresh = RunOptions { now: Some(soon), ..RunOptions::default() };
        let (organization, labels) = found(fresh.clone(), Wait::ForNews);
        assert_eq!((organization.unwrap().listed_at, &*labels), (Some(kept.listed_at), "a"));
        let late = kept.listed_at + SignedDuration::from_hours(200);
        let offline = RunOptions { offline: true, now: Some(late), ..RunOptions::default() };
        let (organization, labels) = found(offline, Wait::ForNews);
        assert_eq!((organization.unwrap().trouble, &*labels), (None, "a"));
        let demo = RunOptions { demo: Some(super::super::DemoOptions::default()), ..fresh };
        assert_eq!(found(demo, Wait::ForNews), (None, "default".to_owned()));
    }

    #[test]
    fn the_age_of_a_list_is_said_in_one_unit() {
        let then: Timestamp = "2026-11-20T03:00:00Z".parse().unwrap();
        for (minutes, words) in
            [(0, "0 min"), (119, "119 min"), (120, "2 h"), (2_879, "47 h"), (2_880, "2 days")]
        {
            assert_eq!(age(then, then + SignedDuration::from_mins(minutes)), words);
        }
        assert_eq!(age(then, then - SignedDuration::from_hours(5)), "0 min");
    }
}
