//! The file of tiers that a demand's cheapest mix is made of, see `assets/tiers.example.toml`.

use serde::Deserialize;
use toml::de::DeTable;

use super::optimum::{Tier, TierKind, Units, blended_spot, term_hours};
use super::scenario::file::place;
use crate::domain::json::{no_toml, wrong_value};
use crate::domain::text::clean;

/// Name of the on-demand tier.
pub const ON_DEMAND: &str = "on demand";

/// Contents of a file of tiers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiers {
    /// The tiers in the file's order, on-demand last.
    pub tiers: Vec<Tier>,
    /// Source of each rate, in the order of `tiers`, as the file states it; clean text, `None` where it states
    /// none.
    pub sources: Vec<Option<String>>,
    /// Whether fractions of units may be bought.
    pub units: Units,
    /// Values that are odd but usable, one sentence each.
    pub warnings: Vec<String>,
}

/// Error in a file of tiers, shown as `name:line:column: message`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}:{column}: {message}")]
pub struct TiersError {
    /// Path of the file, as given.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what would be right; clean text.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    on_demand: toml::Spanned<f64>,
    on_demand_source: Option<String>,
    #[serde(default)]
    whole_units: bool,
    #[serde(default)]
    tier: Vec<toml::Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    kind: Kind,
    rate: toml::Spanned<f64>,
    source: Option<String>,
    term: Option<toml::Spanned<String>>,
    share: Option<toml::Spanned<f64>>,
    availability: Option<toml::Spanned<f64>>,
    overhead: Option<toml::Spanned<f64>>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Commitment,
    Spot,
}

/// Weeks of a term such as `1y`, `3y` or `26w`; `None` when it is not of this form or longer than three years.
pub fn weeks(term: &str) -> Option<u16> {
    match term {
        "1y" => return Some(52),
        "3y" => return Some(156),
        _ => {}
    }
    let digits = term.strip_suffix('w').filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok().filter(|weeks| (1..=156).contains(weeks))
}

/// Reads a file of tiers; `name` is its path for messages. Fails at the first value that cannot be used.
pub fn read(text: &str, name: &str) -> Result<Tiers, TiersError> {
    let wrong = |at: usize, message: &str| {
        let (line, column) = place(text, at);
        let message = clean(&wrong_value(message)).into_owned();
        TiersError { name: clean(name).into_owned(), line, column, message }
    };
    DeTable::parse(text)
        .map_err(|e| wrong(e.span().map_or(0, |span| span.start), &no_toml(e.message())))?;
    let file: File = toml::from_str(text)
        .map_err(|e| wrong(e.span().map_or(0, |span| span.start), e.message()))?;
    let price = |value: &toml::Spanned<f64>, what: &str| {
        let usd = *value.get_ref();
        let message = format!("{what}: {usd} is no price; USD per unit and hour above 0 is");
        let fine = usd.is_finite() && usd > 0.0 && usd <= 1e6;
        if fine { Ok(usd) } else { Err(wrong(value.span().start, &message)) }
    };
    let part = |value: Option<&toml::Spanned<f64>>, what: &str, else_: f64| match value {
        None => Ok(else_),
        Some(value) if (0.0..=1.0).contains(value.get_ref()) => Ok(*value.get_ref()),
        Some(value) => {
            let message = format!("{what}: {} is no part; 0 to 1 is", value.get_ref());
            Err(wrong(value.span().start, &message))
        }
    };
    let on_demand = price(&file.on_demand, "on_demand")?;
    let mut tiers: Vec<Tier> = Vec::with_capacity(file.tier.len() + 1);
    let mut sources = Vec::with_capacity(file.tier.len() + 1);
    let source = |said: &Option<String>| {
        said.as_deref().map(|said| clean(said).trim().to_owned()).filter(|said| !said.is_empty())
    };
    let mut warnings = Vec::new();
    for entry in &file.tier {
        let (at, entry) = (entry.span().start, entry.get_ref());
        let called = clean(&entry.name).into_owned();
        if called.is_empty() || called == ON_DEMAND || tiers.iter().any(|t| t.name == called) {
            let message = format!("name: each tier needs one of its own, not `{called}`");
            return Err(wrong(at, &message));
        }
        let rate = price(&entry.rate, "rate")?;
        if rate >= on_demand {
            warnings.push(format!(
                "{called} costs {rate} per hour, on demand {on_demand}: it can never pay; look \
                 whether both prices are per the same unit"
            ));
        }
        let (rate, kind) = match entry.kind {
            Kind::Commitment => {
                if entry.share.is_some() || entry.availability.is_some() || entry.overhead.is_some()
                {
                    let message =
                        "share, availability and overhead are of spot; add kind = \"spot\"";
                    return Err(wrong(at, message));
                }
                let Some(term) = &entry.term else {
                    return Err(wrong(at, "a commitment needs a `term`: 1y, 3y or 26w"));
                };
                let Some(weeks) = weeks(term.get_ref()) else {
                    let message = "term: 1y, 3y or a number of weeks from 1w to 156w";
                    return Err(wrong(term.span().start, message));
                };
                (rate, TierKind::Commitment { term_hours: term_hours(weeks.into()) })
            }
            Kind::Spot => {
                let Some(share) = &entry.share else {
                    let message = "spot needs a `share`: the part of the demand that can take \
                                   interruptions, 0 to 1";
                    return Err(wrong(at, message));
                };
                if let Some(term) = &entry.term {
                    return Err(wrong(term.span().start, "spot has no term"));
                }
                let share = part(Some(share), "share", 0.0)?;
                let availability = part(entry.availability.as_ref(), "availability", 1.0)?;
                let overhead = part(entry.overhead.as_ref(), "overhead", 0.0)?;
                if overhead >= 1.0 {
                    return Err(wrong(at, "overhead: nothing is left of the time"));
                }
                let rate = blended_spot(rate / (1.0 - overhead), on_demand, availability);
                (rate, TierKind::Usage { share })
            }
        };
        // Spot for everything would be a second on-demand.
        let kind = match kind {
            TierKind::Usage { share } if share >= 1.0 => TierKind::Usage { share: 1.0 - 1e-12 },
            kind => kind,
        };
        tiers.push(Tier { name: called, rate, kind });
        sources.push(source(&entry.source));
    }
    tiers.push(Tier {
        name: ON_DEMAND.to_owned(),
        rate: on_demand,
        kind: TierKind::Usage { share: 1.0 },
    });
    sources.push(source(&file.on_demand_source));
    let units = if file.whole_units { Units::Whole } else { Units::Parts };
    Ok(Tiers { tiers, sources, units, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whatif::supply::known_rates::{REGION, one_year_ri};

    /// The example, and the same with the tiers that it shows in comments.
    fn example() -> [String; 2] {
        let text = include_str!("../../assets/tiers.example.toml");
        let shown = |line: &str| {
            let entry =
                line.strip_prefix("# ").filter(|l| l.contains(" = ") || l.starts_with("[["));
            format!("{}\n", entry.unwrap_or(line))
        };
        [text.to_owned(), text.lines().map(shown).collect()]
    }

    #[test]
    fn the_example_is_read() {
        let [text, all] = example();
        let tiers = read(&text, "t.toml").unwrap();
        let names: Vec<&str> = tiers.tiers.iter().map(|tier| &*tier.name).collect();
        assert_eq!(names, ["1y standard RI, no upfront", ON_DEMAND]);
        assert_eq!(tiers.tiers[0].kind, TierKind::Commitment { term_hours: 8760 });
        assert_eq!((tiers.units, tiers.warnings.len()), (Units::Parts, 0));
        let tiers = read(&all, "t.toml").unwrap();
        let found = tiers.tiers.iter().find(|tier| tier.name == "spot").unwrap();
        assert_eq!(found.kind, TierKind::Usage { share: 0.4 });
        assert!((found.rate - (0.8 * 8.1915 / 0.95 + 0.2 * 21.957_642)).abs() < 1e-9);
        assert_eq!(tiers.units, Units::Whole);
    }

    /// A source names a list and a day: each rate that ships has one, also those in comments.
    #[test]
    fn every_rate_of_the_example_has_its_source_and_its_date() {
        for text in example() {
            let rates = text.lines().filter(|line| {
                let key = line.trim_start_matches(['#', ' ']).split(" = ").next();
                matches!(key, Some("rate" | "on_demand")) && line.contains(" = ")
            });
            let read = read(&text, "t.toml").unwrap();
            if !text.contains("# rate = ") {
                assert_eq!(rates.count(), read.tiers.len(), "{text}");
            }
            for (tier, source) in read.tiers.iter().zip(&read.sources) {
                let source = source.as_deref().unwrap_or_default();
                let dated = source.split([' ', ',']).any(|word| word.starts_with("202"));
                assert!(dated && source.len() > 20, "{}: `{source}`", tier.name);
            }
        }
        // They are those that stand in the embedded lists.
        let [text, _] = example();
        let tiers = read(&text, "t.toml").unwrap().tiers;
        let known = one_year_ri(REGION, "p4d.24xlarge").unwrap().usd_per_hour;
        assert_eq!(tiers[0].rate, known);
        let list = include_str!("../../assets/prices.csv");
        let mut lines = list.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let column = lines.next().unwrap().iter().position(|name| *name == "us-east-1").unwrap();
        let rate = tiers[1].rate.to_string();
        let mut rates = lines.filter(|row| row[0] == "p4d.24xlarge").map(|row| row[column]);
        assert!(rates.any(|known| known == rate), "{rate}");
    }

    #[test]
    fn a_source_is_clean_text_or_none() {
        let text = "on_demand = 2.0\non_demand_source = ' '\n[[tier]]\nname = 'a'\nrate = 1.0\n\
                    term = '1y'\nsource = \"list\\u001b[2J of 2026\"";
        let sources = read(text, "t.toml").unwrap().sources;
        assert_eq!(sources.len(), 2);
        assert!(!sources[0].as_ref().unwrap().contains('\u{1b}'), "{sources:?}");
        assert_eq!(sources[1], None);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, want) in [
            ("", "t.toml:1:1: `on_demand` is missing"),
            ("on_demand = 0", "t.toml:1:13: on_demand: 0 is no price"),
            ("on_demand = nan", "t.toml:1:13: on_demand: NaN is no price"),
            ("on_demand = 2.0\nwhat = 1", "t.toml:2:1: there is no key `what`; known: "),
            ("on_demand = 2.0\n[[tier]]\nname = 'a'\nrate = 1.0", "t.toml:2:1: a commitment needs"),
            (
                "on_demand = 2.0\n[[tier]]\nname = 'a'\nrate = 1.0\nterm = '2y'",
                "t.toml:5:8: term: 1y, 3y",
            ),
            (
                "on_demand = 2.0\n[[tier]]\nname = 'a'\nrate = 1.0\nkind = 'spot'",
                "t.toml:2:1: spot needs a `share`",
            ),
            (
                "on_demand = 2.0\n[[tier]]\nname = 'a'\nrate = 1.0\nkind = 'spot'\nshare = 2.0",
                "t.toml:6:9: share: 2 is no part",
            ),
            ("on_demand = 'x'", "t.toml:1:13: string \"x\" stands where"),
        ] {
            let said = read(text, "t.toml").unwrap_err().to_string();
            assert!(said.starts_with(want), "{text}\n{said}");
        }
        let dear = "on_demand = 2.0\n[[tier]]\nname = 'a'\nrate = 3.0\nterm = '1y'";
        assert!(read(dear, "t.toml").unwrap().warnings[0].contains("never pay"));
    }
}
