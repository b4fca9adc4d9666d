//! `burntop storage explore`: prefixes of a list with size, class, age and dollars, printed.

use std::io::Write;
use std::sync::Arc;

use super::args::{Engine, ExploreArgs};
use super::{CliError, Ctx, Exit, athena, list, prices};
use crate::analyze::storage::price::{Rates, Volumes};
use crate::analyze::storage::{TreeFold, TreeLimits};
use crate::domain::storage::{PrefixTree, Scan, ScanOrigin};
use crate::domain::text::clean;
use crate::report::{Explored, explore};
use crate::source::objects::Need;

pub(super) fn run(
    args: &ExploreArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let prefix = args.list.prefix.as_deref().unwrap_or_default();
    let is_athena = args.list.engine == Engine::Athena;
    let mut scan = if is_athena {
        let above = prefix.matches('/').count() as u16;
        match athena::sums(&args.list, ctx, above.saturating_add(args.depth))? {
            athena::Answer::Scan(scan) => scan,
            athena::Answer::Sql(sql) => {
                out.write_all(sql.as_bytes())?;
                return Ok(Exit::Ok);
            }
        }
    } else {
        list::scan(&args.list, ctx)?
    };
    if !is_athena
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
    let rates = rates(&scan, args.list.price_region.as_deref(), ctx)?;
    let scan = Arc::new(scan);
    let of = Explored { scan: scan.clone(), rates: rates.map(Arc::new), from };
    ctx.print(&explore(of, args.depth, args.top), out)?;
    Ok(list::exit(scan.partial.as_deref()))
}

/// What the list's bytes cost in its region, at its own volume; `None` for a directory.
fn rates(scan: &Scan, region: Option<&str>, ctx: &Ctx<'_>) -> Result<Option<Rates>, CliError> {
    if matches!(scan.origin, ScanOrigin::Directory(_)) {
        return Ok(None);
    }
    let prices = prices::of(ctx, region, Some(&scan.bucket))?.s3;
    let volumes = Volumes::of(&scan.tree.sums(PrefixTree::ROOT));
    Ok(prices.map(|prices| Rates::blended(&prices, &volumes)))
}
