//! The deliveries below a place: by their manifests, the newest of each period; else files by themselves.

use std::collections::BTreeMap;

use super::error::ExportError;
use super::manifest::{self, ENDING, MANIFEST_AT_MOST, Manifest};
use super::store::{Store, name, parent};
use super::{Delivery, Found, Part, check, sha256};
use crate::domain::bill::Month;
use crate::domain::text::clean;

/// Levels of folders below the place: `prefix/export/metadata/BILLING_PERIOD=…/execution/`, and three to spare.
const LEVELS: usize = 8;

/// Folders and files looked at before giving up: some years of executions.
const LOOKED_AT: usize = 50_000;

/// Endings of files that may be bills, lower case.
const ENDINGS: [&str; 6] = [".csv", ".csv.gz", ".gz", ".zip", ".parquet", ".pq"];

/// Files below a folder.
#[derive(Default)]
struct Tree {
    manifests: Vec<Part>,
    files: Vec<Part>,
}

/// Finds what lies at a place: a manifest, a file, or the deliveries below a folder. With `export`, the exports of this
/// name alone; files without a manifest are one bill, and get this name. Err when there is nothing, or it cannot be read.
pub async fn find(store: &Store, export: Option<&str>) -> Result<Found, ExportError> {
    let root = store.root();
    let at = || store.label(&root);
    let tree = match store.file(&root).await? {
        Some(file) if file.path.ends_with(ENDING) => Tree { manifests: vec![file], files: vec![] },
        // Whatever its name: who names a file means it.
        Some(file) => Tree { manifests: vec![], files: vec![file] },
        None => walk(store, &root).await?,
    };
    let found = if tree.manifests.is_empty() {
        Found { deliveries: plain(tree.files, export), failed: vec![] }
    } else {
        by_manifest(store, tree.manifests, export).await
    };
    if found.deliveries.is_empty() && found.failed.is_empty() {
        return Err(ExportError::Nothing { at: at() });
    }
    Ok(found)
}

/// All manifests and files below a folder.
async fn walk(store: &Store, root: &str) -> Result<Tree, ExportError> {
    let mut tree = Tree::default();
    let mut level = vec![root.to_owned()];
    let mut seen = 0;
    for _ in 0..LEVELS {
        let mut below = Vec::new();
        for folder in level {
            let listing = store.list(&folder).await?;
            seen += 1 + listing.files.len();
            if seen > LOOKED_AT {
                return Err(ExportError::TooMuch { at: store.label(root), most: LOOKED_AT });
            }
            let (manifests, files): (Vec<_>, Vec<_>) =
                listing.files.into_iter().partition(|file| file.path.ends_with(ENDING));
            // A legacy report's manifest names the newest assembly; those below are older ones and itself.
            let is_report = !manifests.is_empty()
                && !name(&folder).contains('=')
                && manifest::period_of_folder(name(&folder)).is_some();
            tree.manifests.extend(manifests);
            tree.files.extend(files.into_iter().filter(is_bill));
            let has_metadata = listing.folders.iter().any(|folder| name(folder) == "metadata");
            below.extend(listing.folders.into_iter().filter(|folder| {
                // The manifests name what is in it.
                !(is_report || has_metadata && name(folder) == "data")
            }));
        }
        level = below;
    }
    Ok(tree)
}

/// True for names that may be of a bill.
fn is_bill(file: &Part) -> bool {
    let name = name(&file.path).to_ascii_lowercase();
    !name.starts_with(['.', '_']) && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Period of the nearest folder that has one in its name, and the folder.
fn period_folder(path: &str) -> Option<(Month, &str)> {
    let mut at = parent(path);
    while !at.is_empty() {
        if let Some(period) = manifest::period_of_folder(name(at)) {
            return Some((period, at));
        }
        at = parent(at);
    }
    None
}

/// Name of a text from outside, cleaned.
fn clean_name(name: &str) -> String {
    let name = clean(name).trim().to_owned();
    if name.is_empty() { "bill".into() } else { name }
}

async fn by_manifest(store: &Store, manifests: Vec<Part>, export: Option<&str>) -> Found {
    let mut found = Found::default();
    let mut groups: BTreeMap<(String, String), Vec<Part>> = BTreeMap::new();
    for manifest in manifests {
        let of = clean_name(name(&manifest.path).trim_end_matches(ENDING));
        if export.is_some_and(|wanted| wanted != of) {
            continue;
        }
        let folder = period_folder(&manifest.path).map_or(parent(&manifest.path), |(_, at)| at);
        groups.entry((of, folder.to_owned())).or_default().push(manifest);
    }
    let mut periods: BTreeMap<(String, Option<Month>), String> = BTreeMap::new();
    for ((of, _), mut executions) in groups {
        executions.sort_by_key(|execution| age(store, execution));
        let older = executions.len() as u64 - 1;
        let Some(newest) = executions.pop() else { continue };
        match delivery(store, &of, &newest, older).await {
            Ok(delivery) => {
                let of = (of, delivery.period);
                match periods.insert(of, newest.path.clone()) {
                    None => found.deliveries.push(delivery),
                    Some(other) => found.failed.push(ExportError::Twice {
                        at: store.label(&newest.path),
                        other: store.label(&other),
                    }),
                }
            }
            Err(error) => found.failed.push(error),
        }
    }
    found.deliveries.sort_by(|a, b| (&a.export, a.period).cmp(&(&b.export, b.period)));
    found
}

/// What orders the manifests of a period, oldest first. S3 knows when each was written; of copies the names of executions,
/// which begin with their times, are surer.
fn age(
    store: &Store,
    manifest: &Part,
) -> (Option<jiff::Timestamp>, String, Option<jiff::Timestamp>) {
    let execution = match period_folder(&manifest.path) {
        Some((_, folder)) => manifest.path[folder.len()..].to_owned(),
        None => String::new(),
    };
    let remote = (!store.is_local()).then_some(manifest.written_at).flatten();
    (remote, parent(&execution).to_owned(), manifest.written_at)
}

async fn delivery(
    store: &Store,
    of: &str,
    at: &Part,
    older_executions: u64,
) -> Result<Delivery, ExportError> {
    let bytes = store.get(&at.path, MANIFEST_AT_MOST).await?.unwrap_or_default();
    let manifest = Manifest::parse(&bytes)
        .map_err(|why| ExportError::Manifest { at: store.label(&at.path), why })?;
    let parts = check::parts(store, at, &manifest.keys).await?;
    let period = manifest.period.or_else(|| period_folder(&at.path).map(|(period, _)| period));
    // Overwritten files keep their names, and so may the manifest its text.
    let digest = sha256(&[bytes.as_slice(), listed(&parts, store.is_local()).as_bytes()].concat());
    let export = manifest.name.as_deref().map_or_else(|| of.to_owned(), clean_name);
    Ok(Delivery {
        export: export.into(),
        period,
        written_at: at.written_at,
        digest,
        parts,
        older_executions,
    })
}

/// Names, sizes and, where they say something, times of files.
fn listed(parts: &[Part], is_copy: bool) -> String {
    let time = |part: &Part| match part.written_at {
        Some(at) if !is_copy => at.as_nanosecond(),
        _ => 0,
    };
    parts.iter().map(|p| format!("\n{} {} {}", name(&p.path), p.bytes, time(p))).collect()
}

/// Deliveries of files that no manifest names.
fn plain(files: Vec<Part>, export: Option<&str>) -> Vec<Delivery> {
    let mut groups: BTreeMap<(String, Option<Month>), BTreeMap<String, Vec<Part>>> =
        BTreeMap::new();
    for file in files {
        let folder = period_folder(&file.path);
        let of = match (export, folder) {
            (Some(export), _) => export.to_owned(),
            (None, Some((_, at))) => {
                let above = parent(at);
                let above = if name(above) == "data" { parent(above) } else { above };
                name(above).to_owned()
            }
            (None, None) => stem(name(&file.path)).to_owned(),
        };
        let period = folder.map(|(period, _)| period);
        // Executions of a period lie in folders of their own, named by their time.
        let execution = if period.is_some() { parent(&file.path) } else { "" };
        let group = groups.entry((clean_name(&of), period)).or_default();
        group.entry(execution.to_owned()).or_default().push(file);
    }
    let delivery = |((export, period), mut executions): ((String, _), BTreeMap<_, Vec<Part>>)| {
        let older_executions = executions.len() as u64 - 1;
        let (_, parts) = executions.pop_last()?;
        let digest = sha256(listed(&parts, false).as_bytes());
        let written_at = parts.iter().filter_map(|part| part.written_at).max();
        let export = export.into();
        Some(Delivery { export, period, written_at, digest, parts, older_executions })
    };
    groups.into_iter().filter_map(delivery).collect()
}

/// Name of a file without its endings, and without the number of a part: `cur-00003.snappy.parquet` is of `cur`.
fn stem(file: &str) -> &str {
    let mut stem = file;
    for ending in [".gz", ".zip", ".csv", ".parquet", ".pq", ".snappy"] {
        let at = stem.len().saturating_sub(ending.len());
        if at > 0 && stem.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(ending)) {
            stem = &stem[..at];
        }
    }
    let without = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    match without.strip_suffix(['-', '_']) {
        // `2026-10` is a name, and `cur-00003` a part.
        Some(rest) if without.len() < stem.len() && rest.contains(char::is_alphabetic) => rest,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_bill, stem};
    use crate::source::bill_exports::Part;

    #[test]
    fn files_are_named_without_endings_and_numbers() {
        for (file, name) in [
            ("cur.csv.gz", "cur"),
            ("cur-00003.snappy.parquet", "cur"),
            ("cur_1.CSV", "cur"),
            ("synthetic-cur2.parquet", "synthetic-cur2"),
            ("synthetic-focus-1.0-aws.parquet", "synthetic-focus-1.0-aws"),
            ("2026-10.csv", "2026-10"),
            (".csv", ".csv"),
            ("bill", "bill"),
        ] {
            assert_eq!(stem(file), name, "{file}");
        }
    }

    #[test]
    fn bills_are_known_by_their_endings() {
        let file = |path: &str| Part { path: path.into(), bytes: 1, written_at: None };
        assert!(is_bill(&file("/a/x.CSV.GZ")) && is_bill(&file("x.parquet")));
        assert!(!is_bill(&file("/a/x.json")) && !is_bill(&file("/a.csv/_temporary.csv")));
    }
}
