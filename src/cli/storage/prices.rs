//! Whose prices count for a list: the region, and what its price list said when it was read last.

use std::sync::Arc;

use super::{CliError, Ctx, list};
use crate::bus;
use crate::cli::session;
use crate::domain::Provenance;
use crate::domain::Regions;
use crate::domain::storage::S3Prices;

/// The region whose prices count where nobody says one.
const DEFAULT_REGION: &str = "us-east-1";

/// A region and what S3 costs there.
pub(super) struct Priced {
    /// AWS region of the prices.
    pub region: String,
    /// Prices of S3 in the region; `None` = not known.
    pub s3: Option<S3Prices>,
}

impl Priced {
    /// The prices, unknown ones where nobody knows any.
    pub(super) fn or_unknown(self, ctx: &Ctx<'_>) -> S3Prices {
        self.s3.unwrap_or_else(|| {
            let now = ctx.invocation.options.now();
            let date = jiff::civil::Date::from(now.to_zoned(jiff::tz::TimeZone::UTC));
            S3Prices::unknown(&self.region, Provenance::Embedded { date })
        })
    }
}

/// Prices for a list of `bucket`: of the region that is named; else of the bucket's own, or what the
/// configuration says for those without prices; else of the first region that is configured.
pub(super) fn of(
    ctx: &Ctx<'_>,
    named: Option<&str>,
    bucket: Option<&str>,
) -> Result<Priced, CliError> {
    let config = &ctx.invocation.config;
    let now = ctx.invocation.options.now();
    let configured = config.targets.iter().find_map(|t| match &t.regions {
        Regions::Named(regions) => regions.first().map(|r| &**r),
        _ => None,
    });
    let instead = config.storage.price_region.as_deref();
    list::runtime()?.block_on(async {
        let (cache, _) = session::open_cache(ctx.invocation);
        let own: Option<Arc<str>> = match bucket {
            Some(bucket) => bus::bucket_region(&cache, bucket, now).await,
            None => None,
        };
        let region = named.or(own.as_deref()).or(instead).or(configured).unwrap_or(DEFAULT_REGION);
        let mut priced =
            Priced { region: region.to_owned(), s3: bus::s3_prices(&cache, region, now).await };
        if let (None, None, Some(instead)) = (&priced.s3, named, instead) {
            priced = Priced {
                region: instead.to_owned(),
                s3: bus::s3_prices(&cache, instead, now).await,
            };
        }
        session::close_aloud(cache).await;
        Ok(priced)
    })
}
