//! What was chosen, counted by environment: the first thing to look at before it is approved.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

/// How many are named of each environment.
const SAMPLE: usize = 3;

/// An instance, volume or bucket of a plan, as it is counted by environment.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// Instance id, volume id or bucket name.
    pub id: &'a str,
    /// `Name` tag; may be empty.
    pub name: &'a str,
    /// Its environment, from its tags; `None` where no tag says it.
    pub environment: Option<&'a str>,
    /// True when account, configuration or tags say production.
    pub production: bool,
}

/// Number of rows of a plan in one environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EnvironmentCount {
    /// Value of the environment tag; `None` for rows without one.
    pub environment: Option<String>,
    /// Number of rows.
    pub count: usize,
    /// Number of rows that are production, by account, configuration or any tag.
    pub production: usize,
    /// At most three of the rows, in the order given: `train-7b (i-0abc)`.
    pub sample: Vec<String>,
}

impl EnvironmentCount {
    /// `5 prod (production)`.
    pub fn head(&self) -> String {
        let name = self.environment.as_deref().unwrap_or("without an environment tag");
        let production = match self.production {
            0 => String::new(),
            all if all == self.count => " (production)".to_owned(),
            some => format!(" ({some} production)"),
        };
        format!("{} {name}{production}", self.count)
    }

    /// `5 prod (production): a (i-1), b (i-2), c (i-3), …`; `ellipsis` replaces those not named.
    pub fn line(&self, ellipsis: &str) -> String {
        let more =
            if self.count > self.sample.len() { format!(", {ellipsis}") } else { String::new() };
        format!("{}: {}{more}", self.head(), self.sample.join(", "))
    }
}

/// Counts what was chosen by environment: production first, then the most.
pub fn by_environment<'a>(chosen: impl IntoIterator<Item = Chosen<'a>>) -> Vec<EnvironmentCount> {
    let mut counts: BTreeMap<Option<String>, EnvironmentCount> = BTreeMap::new();
    for one in chosen {
        // Two spellings of one environment are one.
        let key = one.environment.map(|e| e.trim().to_lowercase()).filter(|e| !e.is_empty());
        let count = counts.entry(key.clone()).or_insert_with(|| EnvironmentCount {
            environment: key,
            count: 0,
            production: 0,
            sample: Vec::new(),
        });
        count.count += 1;
        count.production += usize::from(one.production);
        if count.sample.len() < SAMPLE {
            count.sample.push(match one.name {
                "" => one.id.to_owned(),
                name => format!("{name} ({})", one.id),
            });
        }
    }
    let mut out: Vec<EnvironmentCount> = counts.into_values().collect();
    out.sort_by_key(|c| (c.production == 0, Reverse(c.count)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn production_comes_first_and_nothing_is_left_uncounted() {
        let of = |id, environment, production| Chosen { id, name: "", environment, production };
        let rows = [
            of("i-1", Some("dev"), false),
            of("i-2", Some("DEV "), false),
            of("i-3", None, false),
            of("i-4", Some("prod"), true),
            of("i-5", Some("dev"), true),
            of("i-6", Some("research"), false),
            of("i-7", Some(""), false),
            Chosen { name: "train", ..of("i-8", Some("dev"), false) },
        ];
        let counts = by_environment(rows);
        let lines: Vec<String> = counts.iter().map(|c| c.line("…")).collect();
        assert_eq!(
            lines,
            [
                "4 dev (1 production): i-1, i-2, i-5, …",
                "1 prod (production): i-4",
                "2 without an environment tag: i-3, i-7",
                "1 research: i-6",
            ]
        );
        assert_eq!(counts.iter().map(|c| c.count).sum::<usize>(), rows.len());
        assert_eq!(by_environment([]), []);
    }
}
