//! What each storage class would cost: the options side by side.

use super::lifecycle::plan_hint;
use super::parts::{heading, paragraph, provenance, with_key};
use crate::analyze::storage::findings::rule_of_move;
use crate::analyze::storage::lifecycle::print;
use crate::analyze::storage::price::Volumes;
use crate::analyze::storage::tiers::{Access, Comparison, Question, Target, cohorts, compare};
use crate::app::content::{Line, graph};
use crate::app::{Action, App, Role, TierSubject};
use crate::domain::storage::{
    FindingReason, Lifecycle, LifecycleRule, PrefixTree, S3Prices, StorageClass, Sums,
};
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::tabs::storage::picture::tiers::{TiersModel, letter, name};
use crate::tabs::storage::picture::words;
use crate::view::format;

/// Lines of the chart.
const CHART_HEIGHT: usize = 10;

/// Months that are looked ahead.
const MONTHS: u16 = 24;

/// Months of a saving a month, as the finding of a wrong tier counts it: the fees are spread over them.
const YEAR: u16 = 12;

/// The page.
pub(super) fn lines(app: &App, subject: &TierSubject, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    if app.storage().is_none() {
        return lines;
    }
    let draw = |title: &str, sums: &Sums, question: &Question<'_>, found: &Comparison| {
        let mut lines = Vec::new();
        page(app, (title, subject), (sums, question, found), width, &mut lines);
        lines
    };
    if let Some(lines) = compared(app, subject, draw) {
        return lines;
    }
    lines.push(Line::of(Role::Heading, "Tier what-if"));
    paragraph(
        Role::Text,
        "It needs a list of objects, for their sizes and ages, and the prices of their region. \
         i on a bucket asks what a list costs.",
        width,
        &mut lines,
    );
    lines
}

/// Hands the options of a subject on, with its name and what they are reckoned from; `None` without a list or prices.
fn compared<T>(
    app: &App,
    subject: &TierSubject,
    then: impl FnOnce(&str, &Sums, &Question<'_>, &Comparison) -> T,
) -> Option<T> {
    let fleet = app.storage()?;
    let (title, sums, prices) = asked(fleet, subject)?;
    let cohorts = cohorts(&sums);
    let others = others(fleet, subject, &sums);
    let question = Question {
        cohorts: &cohorts,
        prices,
        others: &others,
        access: Access::every(app.storage_tab().reads()),
        moves_small: false,
        months: MONTHS,
    };
    let found = compare(&question);
    Some(then(&title, &sums, &question, &found))
}

fn page(
    app: &App,
    (title, subject): (&str, &TierSubject),
    (sums, question, found): (&Sums, &Question<'_>, &Comparison),
    width: usize,
    lines: &mut Vec<Line>,
) {
    lines.push(Line::of(Role::Heading, title.to_owned()));
    paragraph(
        Role::Text,
        &format!(
            "{} in {} objects; each byte read {} times a month: + - moves that, = types it. {}.",
            words::size(sums.all_bytes() as f64),
            format::grouped(sums.all_objects() as f64, 0),
            format::count(question.access.mean_reads()),
            provenance(&question.prices.provenance),
        ),
        width,
        lines,
    );
    if let Some(beside) = app.storage().and_then(|fleet| Beside::of(fleet, subject, found)) {
        let reads = question.access.mean_reads();
        paragraph(Role::Text, &beside.sentence(reads), width, lines);
    }
    options(app, found, width, lines);
    best(found, width, lines);
    if let Some(rule) = app.storage().and_then(|fleet| rule(fleet, subject, found)) {
        let text = format!("The rule that moves it, to copy: {}", print::summary(&rule));
        paragraph(Role::Accent, &with_key(app, &text, Action::CopyId), width, lines);
    }
    let symbols = app.appearance().symbols;
    let plot = TiersModel::of(question).chart();
    let room = width.saturating_sub(16).min(100);
    let drawn = plot.text(room, CHART_HEIGHT, symbols);
    if !drawn.is_empty() && room >= 24 {
        heading("Dollars saved against staying, by month", lines);
        lines.extend(drawn.into_iter().map(|row| Line::new().text("  ").text(row)));
        let letters = plot.lines.iter().map(|(t, _)| format!("{} {}", letter(*t), name(*t)));
        paragraph(Role::Dim, &letters.collect::<Vec<_>>().join("   "), width, lines);
    }
    if let TierSubject::Bucket(bucket) | TierSubject::Prefix(bucket, _) = subject {
        plan_hint(bucket, width, lines);
    }
}

/// The finding of a wrong tier of a bucket beside what its class saves here: they take other reads.
struct Beside {
    /// Class that the finding moves to.
    to: StorageClass,
    /// Reads of each object a month by request metrics; `None` where nobody measured, and the finding takes one in 3 months.
    reads: Option<f64>,
    /// USD per month that the finding says.
    finding_usd: f64,
    /// USD per month here, reckoned alike: a twelfth of a year's saving, fees included.
    here_usd: f64,
}

impl Beside {
    /// `None` for what is no bucket, without such a finding, and where its class has no price.
    fn of(fleet: &StorageFleet, subject: &TierSubject, found: &Comparison) -> Option<Self> {
        let TierSubject::Bucket(name) = subject else { return None };
        fleet.bucket(name)?.findings.iter().find_map(|finding| {
            let FindingReason::WrongTier { to, reads, .. } = finding.reason else { return None };
            Some(Self {
                to,
                reads,
                finding_usd: finding.usd_per_month?,
                here_usd: found.saved_by(Target::Class(to), YEAR)? / f64::from(YEAR),
            })
        })
    }

    /// Both dollars with the reads of each, where each byte is read `reads` times a month here.
    fn sentence(&self, reads: f64) -> String {
        let taken = match self.reads {
            Some(reads) => format!("{reads:.2}, as request metrics count them"),
            None => "one in 3 months, as nobody measured them".to_owned(),
        };
        format!(
            "{} saves {} a month over a year, fees included, with the {} reads a month above; the finding says {}, with \
             {taken}.",
            name(Target::Class(self.to)),
            words::usd(self.here_usd),
            format::count(reads),
            words::usd(self.finding_usd),
        )
    }
}

/// The rule that moves a bucket or prefix to the class that is cheapest over a year and gives up nothing; `None` where staying is,
/// where rules can move none of it there, and for all buckets together.
fn rule(fleet: &StorageFleet, subject: &TierSubject, found: &Comparison) -> Option<LifecycleRule> {
    let best = found.best.iter().find(|best| best.horizon_months == YEAR)?;
    let Target::Class(to) = best.instant else { return None };
    if found.curve(best.instant)?.is_copied() {
        return None;
    }
    let prefix = match subject {
        TierSubject::Fleet => return None,
        TierSubject::Bucket(_) => Vec::new(),
        TierSubject::Prefix(bucket, node) => fleet.scans.get(bucket)?.tree.path(*node),
    };
    // A rule of another prefix would move other objects.
    rule_of_move(to, std::str::from_utf8(&prefix).ok()?)
}

/// The rule of the page as S3 takes it, with what it is called; `None` where there is none.
pub(crate) fn rule_to_copy(app: &App, subject: &TierSubject) -> Option<(String, String)> {
    let fleet = app.storage()?;
    let rule = compared(app, subject, |_, _, _, found| rule(fleet, subject, found))??;
    let rules = Lifecycle { rules: vec![rule], minimum_size: None };
    Some(("the rule".to_owned(), print::json(&rules)))
}

/// Name, sums and prices of what is asked about.
fn asked<'a>(
    fleet: &'a StorageFleet,
    subject: &TierSubject,
) -> Option<(String, Sums, &'a S3Prices)> {
    let prices_of = |row: &BucketRow| fleet.s3_prices.get(&row.scope.region).map(|p| &**p);
    match subject {
        TierSubject::Bucket(name) => {
            let prices = prices_of(fleet.bucket(name)?)?;
            let sums = fleet.scans.get(name)?.tree.sums(PrefixTree::ROOT);
            Some((name.to_string(), sums, prices))
        }
        TierSubject::Prefix(name, node) => {
            let prices = prices_of(fleet.bucket(name)?)?;
            let tree = &fleet.scans.get(name)?.tree;
            let path = tree.path(*node);
            let path = crate::domain::text::clean(&String::from_utf8_lossy(&path)).into_owned();
            Some((format!("{name}/{path}"), tree.sums(*node), prices))
        }
        TierSubject::Fleet => {
            // One region's prices for all of it: that of the costliest listed bucket.
            let first = fleet.buckets.iter().find(|b| fleet.scans.contains_key(&b.name))?;
            let prices = prices_of(first)?;
            let here = |b: &&std::sync::Arc<BucketRow>| b.scope == first.scope;
            let mut sums = Sums::default();
            for bucket in fleet.buckets.iter().filter(here) {
                if let Some(scan) = fleet.scans.get(&bucket.name) {
                    sums.add(&scan.tree.sums(PrefixTree::ROOT));
                }
            }
            Some((format!("All listed buckets of {}", first.scope), sums, prices))
        }
    }
}

/// What the account is billed for beside it.
fn others(fleet: &StorageFleet, subject: &TierSubject, own: &Sums) -> Volumes {
    let mut out = Volumes::default();
    let scope = match subject {
        TierSubject::Bucket(name) | TierSubject::Prefix(name, _) => {
            fleet.bucket(name).map(|b| b.scope.clone())
        }
        TierSubject::Fleet => fleet
            .buckets
            .iter()
            .find(|b| fleet.scans.contains_key(&b.name))
            .map(|b| b.scope.clone()),
    };
    for row in fleet.buckets.iter().filter(|b| Some(&b.scope) == scope.as_ref()) {
        for share in &row.tiers {
            out.add_gib(share.tier, share.bytes as f64 / crate::domain::storage::GIB);
        }
    }
    let own = Volumes::of(own);
    out.0.iter_mut().zip(own.0).for_each(|(all, own)| *all = (*all - own).max(0.0));
    out
}

/// One line per option: the first month, a year, the valley, the pay-back, the curve.
fn options(app: &App, found: &Comparison, width: usize, lines: &mut Vec<Line>) {
    let symbols = app.appearance().symbols;
    let unknown = symbols.unknown();
    heading("Saved against staying, by the end of the month", lines);
    lines.push(
        Line::new()
            .text("  ")
            .column(Role::Heading, "OPTION", 21)
            .number(Role::Heading, "FEES", 9)
            .number(Role::Heading, "MONTH 1", 10)
            .number(Role::Heading, "YEAR 1", 10)
            .number(Role::Heading, "VALLEY", 10)
            .number(Role::Heading, "PAID BACK", 11),
    );
    for curve in &found.curves {
        let target = curve.target;
        let sign = |usd: f64| format::usd_total(usd);
        let by = |month| symbols.or_unknown(found.saved_by(target, month), sign);
        let payback = match found.payback_month(target) {
            _ if target == Target::Stay => unknown.to_owned(),
            Some(month) => format!("month {month}"),
            None if found.saved(target).is_none() => unknown.to_owned(),
            None => "never".to_owned(),
        };
        let gains = found.saved_by(target, MONTHS).is_some_and(|usd| usd > 0.0);
        let role = if gains { Role::Ok } else { Role::Text };
        let mut line = Line::new()
            .text("  ")
            .column(role, name(target), 21)
            .number(Role::Text, &sign(curve.fees.total()), 9)
            .number(Role::Text, &by(1), 10)
            .number(Role::Text, &by(12), 10)
            .number(Role::Idle, &symbols.or_unknown(found.valley_usd(target), sign), 10)
            .number(role, &payback, 11);
        let room = width.saturating_sub(75).min(usize::from(MONTHS));
        if let Some(saved) = found.saved(target).filter(|_| room >= 8) {
            line = line.text("  ").with(Role::Dim, curve_of(&saved, room, symbols));
        }
        lines.push(line);
    }
    if found.unpriced_bytes > 0.0 {
        let text =
            format!("{} have no price and are in no option.", words::size(found.unpriced_bytes));
        paragraph(Role::Warn, &text, width, lines);
    }
}

/// The curve of what was saved, lowest to highest over the months.
fn curve_of(saved: &[f64], room: usize, symbols: crate::view::Symbols) -> String {
    let low = saved.iter().copied().fold(f64::INFINITY, f64::min);
    let high = saved.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = if high > low { high - low } else { 1.0 };
    let values: Vec<f32> = saved.iter().map(|v| ((v - low) / span) as f32).collect();
    graph::sparkline(&values, room, symbols)
}

fn best(found: &Comparison, width: usize, lines: &mut Vec<Line>) {
    if found.best.is_empty() {
        return;
    }
    heading("Cheapest, fees included", lines);
    for best in &found.best {
        let months = format::plural(usize::from(best.horizon_months), "month");
        let text = if best.target == best.instant {
            format!("over {months}: {}", name(best.target))
        } else {
            format!(
                "over {months}: {}; without giving up instant access and several zones: {}",
                name(best.target),
                name(best.instant)
            )
        };
        paragraph(Role::Text, &text, width, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::press;
    use crate::app::{Effect, Page, StoragePage};
    use crate::tabs::storage::state::fixture::app;

    #[test]
    fn the_finding_and_the_page_say_their_dollars_with_the_reads_of_each() {
        let mut app = app((120, 60));
        press(&mut app, "4/check<enter>t");
        let beside = |app: &App| {
            let Some(Page::Storage(StoragePage::Tiers(subject))) = app.page().map(|o| &o.page)
            else {
                panic!("no tier what-if")
            };
            let fleet = app.storage().unwrap();
            let found = compared(app, subject, |_, _, _, found| Beside::of(fleet, subject, found));
            found.flatten().unwrap()
        };
        let of = beside(&app);
        assert_eq!((of.to, of.reads), (StorageClass::GlacierIr, None));
        // Of 144 objects of 20 GiB ÷ 3 in Standard a GiB that is read costs $0.03 more, of 4,000 of 64 MiB in
        // Standard-IA $0.02; a thousand requests $0.0096 and $0.009 more. Here 0.3 are read a month, there a third.
        let dearer = 960.0 * 0.03 + 250.0 * 0.02 + 0.144 * 0.0096 + 4.0 * 0.009;
        let apart = of.here_usd - of.finding_usd;
        assert!((apart - dearer / 30.0).abs() < 1e-3, "{apart} for {}", dearer / 30.0);
        let said = of.sentence(0.3);
        let [here, there] = [of.here_usd, of.finding_usd].map(words::usd);
        for part in [
            format!(
                "Glacier Instant saves {here} a month over a year, fees included, with the 0.3 reads"
            ),
            format!("the finding says {there}, with one in 3 months, as nobody measured them."),
        ] {
            assert!(said.contains(&part), "{part}: {said}");
        }
        let measured = Beside { reads: Some(0.024), ..of };
        assert!(measured.sentence(0.3).ends_with("with 0.02, as request metrics count them."));
        // With its reads it is what the finding says.
        press(&mut app, "=0.3333333333<enter>");
        let of = beside(&app);
        assert!((of.here_usd - of.finding_usd).abs() < 1e-6, "{} {}", of.here_usd, of.finding_usd);
    }

    #[test]
    fn the_rule_that_moves_it_is_copied_as_s3_takes_it() {
        let mut app = app((120, 60));
        let copied = |app: &mut App| match &press(app, "y")[..] {
            [Effect::Copy(text)] => text.clone(),
            other => panic!("{other:?}"),
        };
        press(&mut app, "4/check<enter>t");
        let rule = copied(&mut app);
        let rule: serde_json::Value = serde_json::from_str(&rule).unwrap();
        let moves = &rule["Rules"][0]["Transitions"][0];
        assert_eq!((&moves["StorageClass"], &moves["Days"]), (&"GLACIER_IR".into(), &30.into()));
        assert_eq!(rule["Rules"][0]["Filter"]["Prefix"], "");
    }
}
