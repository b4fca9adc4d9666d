//! `burntop storage explore`: prefixes of a list with size, class, age and dollars, printed.

use std::io::Write;
use std::sync::Arc;

use super::args::ExploreArgs;
use super::{CliError, Ctx, Exit, athena, list, prices};
use crate::analyze::storage::picture::blended_rates;
use crate::analyze::storage::price::{Rates, Volumes};
use crate::analyze::storage::{TreeFold, TreeLimits};
use crate::cli::athena::Engine;
use crate::cli::reports;
use crate::cli::telemetry::{StoragePart, Want};
use crate::domain::storage::{PrefixTree, Scan, ScanOrigin};
use crate::domain::text::clean;
use crate::report::{Explored, List, Volume, explore};
use crate::source::objects::Need;
use crate::tabs::storage::picture::PrefixField;

pub(super) fn run(
    args: &ExploreArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let explored = if args.list.athena.engine == Engine::Athena {
        let above = args.list.prefix.as_deref().unwrap_or_default().matches('/').count() as u16;
        match athena::sums(&args.list, ctx, above.saturating_add(args.depth))? {
            athena::Answer::Scan(scan) => of_scan(args, scan, ctx)?,
            athena::Answer::Sql(sql) => {
                out.write_all(sql.as_bytes())?;
                return Ok(Exit::Ok);
            }
        }
    } else {
        report(args, ctx)?
    };
    ctx.print(&explored, out)?;
    Ok(list::exit(explored.of.scan.partial.as_deref()))
}

/// What is printed of a list that is read on this machine.
pub(in crate::cli) fn report(
    args: &ExploreArgs,
    ctx: &Ctx<'_>,
) -> Result<List<PrefixField>, CliError> {
    of_scan(args, list::scan(&args.list, ctx)?, ctx)
}

fn of_scan(
    args: &ExploreArgs,
    mut scan: Scan,
    ctx: &Ctx<'_>,
) -> Result<List<PrefixField>, CliError> {
    let prefix = args.list.prefix.as_deref().unwrap_or_default();
    if args.list.athena.engine != Engine::Athena
        && scan.tree.find(prefix.as_bytes()).is_none()
        && !matches!(scan.origin, ScanOrigin::Listing)
    {
        // Too small to be a node of the whole list, or no prefix that ends at a `/`: what lies
        // under it is looked at alone.
        let tree = |info: &_| TreeFold::new(info, TreeLimits::default());
        scan = list::fold(&args.list, ctx, Need::default(), tree)?.into_scan();
    }
    let folder = prefix.rfind('/').map_or("", |i| &prefix[..=i]);
    let from = scan.tree.find(prefix.as_bytes()).or_else(|| scan.tree.find(folder.as_bytes()));
    let Some(from) = from.filter(|_| scan.rows > 0 || prefix.is_empty()) else {
        let message = format!("{} holds no prefix {}", clean(&scan.bucket), clean(prefix));
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    };
    let scan = Arc::new(scan);
    let (rates, volume) = rates(&scan, args.list.price_region.as_deref(), ctx)?;
    let of = Explored { scan, rates: rates.map(Arc::new), volume, from };
    Ok(explore(of, args.depth, args.top))
}

/// What the list's bytes cost: as the screen says it where the account's other buckets are known, else in
/// its region at its own volume; `None` for a directory.
fn rates(
    scan: &Arc<Scan>,
    region: Option<&str>,
    ctx: &Ctx<'_>,
) -> Result<(Option<Rates>, Volume), CliError> {
    if matches!(scan.origin, ScanOrigin::Directory(_)) {
        return Ok((None, Volume::List));
    }
    if region.is_none()
        && ctx.invocation.options.tape.is_none()
        && let Some(rates) = rates_of_account(scan, ctx)?
    {
        return Ok((Some(rates), Volume::Account));
    }
    let prices = prices::of(ctx, region, Some(&scan.bucket))?.s3;
    let volumes = Volumes::of(&scan.tree.sums(PrefixTree::ROOT));
    Ok((prices.map(|prices| Rates::blended(&prices, &volumes)), Volume::List))
}

/// The rates of the bucket's account and region, by what is known of its buckets; `None` where that is
/// nothing. A list asks for no more than itself: of accounts the cache is asked, and the demo bills nothing.
fn rates_of_account(scan: &Arc<Scan>, ctx: &Ctx<'_>) -> Result<Option<Rates>, CliError> {
    let mut invocation = ctx.invocation.clone();
    invocation.options.offline |= invocation.options.demo.is_none();
    invocation.options.record = None;
    let mut outcome = reports::read(&invocation, Want::Storage(StoragePart::Buckets))?;
    Arc::make_mut(&mut outcome.storage).scans.push(scan.clone());
    let fleet = outcome.storage_picture(invocation.options.now());
    let row = fleet.bucket(&clean(&scan.bucket));
    Ok(row.and_then(|row| fleet.rates(&row.scope)).map(blended_rates))
}
