//! `burntop storage tiers`: what each storage class would cost, from a list of objects or from a
//! size and a count.

use std::io::Write;
use std::sync::Arc;

use super::args::{ListArgs, TiersArgs};
use super::{CliError, Ctx, Exit, list, prices};
use crate::analyze::storage::price::Volumes;
use crate::analyze::storage::tiers::{Access, Cohort, Question, cohorts};
use crate::cli::size;
use crate::cli::tell::tell;
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{PrefixTree, StorageClass, Tier};
use crate::domain::text::clean;
use crate::report::TiersReport;
use crate::source::storage_prices;
use crate::tabs::storage::picture::tiers::TiersModel;
use crate::view::format;

/// Objects whose classes are compared.
struct Subject {
    cohorts: Vec<Cohort>,
    /// Bytes that the account is billed for besides: the rest of the list.
    others: Volumes,
    /// The bucket, where there is one.
    bucket: Option<Arc<str>>,
    /// In words.
    says: String,
    /// False where a part of the list is missing.
    is_whole: bool,
}

pub(super) fn run(args: &TiersArgs, ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let access = access(args)?;
    let subject = match (&args.bytes, args.objects) {
        (Some(bytes), Some(objects)) => given(args.from.as_deref(), bytes, objects)?,
        (None, None) if is_named(&args.list) => listed(&args.list, ctx)?,
        (None, None) => return Err(CliError::Usage(nothing_to_compare())),
        _ => return Err(CliError::Usage("--bytes and --objects belong together".to_owned())),
    };
    let named = args.list.price_region.as_deref();
    let prices = prices::of(ctx, named, subject.bucket.as_deref())?.or_unknown(ctx);
    let model = TiersModel::of(&Question {
        cohorts: &subject.cohorts,
        prices: &prices,
        others: &subject.others,
        access,
        moves_small: args.move_small,
        months: args.months,
    });
    let report =
        TiersReport { model: &model, prices: &prices, subject: &subject.says, readings: &[] };
    ctx.print(&report, out)?;
    let is_priced = model.unpriced_bytes <= 0.0;
    if !is_priced {
        let unpriced = format::bytes(model.unpriced_bytes);
        tell(format_args!("{unpriced} have no known price and are in no sum; see --price-region"));
    }
    if !subject.is_whole {
        tell("this is not of the whole list: a part of it could not be read");
    }
    Ok(if is_priced && subject.is_whole { Exit::Ok } else { Exit::Partial })
}

fn nothing_to_compare() -> String {
    "nothing to compare: name a list with --inventory, --bucket or --dir, or give --bytes and \
     --objects, with --from for the tier they are in"
        .to_owned()
}

fn is_named(list: &ListArgs) -> bool {
    list.inventory.is_some() || list.bucket.is_some() || list.dir.is_some()
}

/// The objects of a list, or of a prefix of it; the rest of the list is what else is billed.
fn listed(args: &ListArgs, ctx: &Ctx<'_>) -> Result<Subject, CliError> {
    let scan = list::scan(args, ctx)?;
    let prefix = args.prefix.as_deref().unwrap_or_default();
    let says = format!("{}/{}", clean(&scan.bucket), clean(prefix));
    let Some(at) = scan.tree.find(prefix.as_bytes()) else {
        let message = format!("{} holds no prefix {}", clean(&scan.bucket), clean(prefix));
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    };
    let sums = scan.tree.sums(at);
    let (whole, part) = (Volumes::of(&scan.tree.sums(PrefixTree::ROOT)), Volumes::of(&sums));
    let mut others = Volumes::default();
    for tier in Tier::ALL {
        others.add_gib(tier, whole.gib(tier) - part.gib(tier));
    }
    let is_whole = scan.partial.is_none();
    Ok(Subject { cohorts: cohorts(&sums), others, bucket: Some(scan.bucket), says, is_whole })
}

fn access(args: &TiersArgs) -> Result<Access, CliError> {
    let bad = |what: &str| Err(CliError::Usage(format!("{what} is not a number that can be")));
    let reads_per_month = args.reads_per_month.unwrap_or(0.0);
    if !(0.0..=1e6).contains(&reads_per_month) {
        return bad("--reads-per-month");
    }
    let share_read = args.share_read.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&share_read) {
        return bad("--share-read");
    }
    if args.gets_per_month.is_some_and(|n| !(0.0..=1e15).contains(&n)) {
        return bad("--gets-per-month");
    }
    Ok(Access { reads_per_month, share_read, gets_per_month: args.gets_per_month })
}

/// Objects of one size, given on the command line.
fn given(from: Option<&str>, bytes: &str, objects: u64) -> Result<Subject, CliError> {
    let word = from.unwrap_or(Tier::Standard.word());
    let tier = storage_prices::tier(word)
        .or_else(|| StorageClass::from_api(word).map(Tier::of))
        .filter(|t| !matches!(t, Tier::File | Tier::Unknown))
        .ok_or_else(|| CliError::Usage(unknown_tier(word)))?;
    let size = size::parse(bytes).ok_or_else(|| {
        let text = clean(bytes);
        CliError::Usage(format!("--bytes {text}: no size; 500, 20GB and 533627GiB are"))
    })?;
    if objects == 0 {
        return Err(CliError::Usage("--objects 0: there is nothing to compare".to_owned()));
    }
    let cohort = Cohort {
        tier,
        objects: objects as f64,
        bytes: size,
        is_small: size / (objects as f64) < SMALL_OBJECT as f64,
        age_days: None,
    };
    Ok(Subject {
        cohorts: vec![cohort],
        others: Volumes::default(),
        bucket: None,
        says: format!("from {word}"),
        is_whole: true,
    })
}

fn unknown_tier(word: &str) -> String {
    let names: Vec<&str> = Tier::ALL
        .into_iter()
        .filter(|t| !matches!(t, Tier::File | Tier::Unknown))
        .map(Tier::word)
        .collect();
    format!("--from {}: no tier; there are {}", clean(word), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_checked() {
        let subject = given(Some("STANDARD_IA"), "1GiB", 10_000).unwrap();
        assert_eq!(subject.cohorts[0].tier, Tier::StandardIa);
        assert!(subject.cohorts[0].is_small);
        assert!(!given(None, "1GiB", 1).unwrap().cohorts[0].is_small);
        for (from, bytes, objects) in
            [(Some("warm"), "1", 1), (Some("file"), "1", 1), (None, "x", 1), (None, "1", 0)]
        {
            assert!(given(from, bytes, objects).is_err());
        }
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let args = TiersArgs { reads_per_month: Some(bad), ..TiersArgs::default() };
            assert!(access(&args).is_err(), "{bad}");
        }
        let args = TiersArgs { share_read: Some(1.1), ..TiersArgs::default() };
        assert!(access(&args).is_err());
    }
}
