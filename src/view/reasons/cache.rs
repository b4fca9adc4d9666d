//! What a cache would do for reads of objects.

use crate::analyze::network::cache::{CacheAdvice, CachePath, PathPrice, Pattern};
use crate::view::format::{bytes_binary, share, usd_rate};

/// How objects are read again: a clause without a full stop.
const fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Once => "next to nothing is read twice",
        Pattern::Loop => "a loop in one order",
        Pattern::Shuffled => "rounds, each in another order",
        Pattern::Local => "read again soon",
        Pattern::Random => "read again in no order",
    }
}

/// What to do about reads: one sentence, without a full stop.
pub fn advice(advice: &CacheAdvice) -> String {
    let size = |bytes: u64| bytes_binary(bytes as f64);
    match *advice {
        CacheAdvice::ReadOnce => {
            "next to nothing is read twice: a cache saves nothing; stream it".to_owned()
        }
        CacheAdvice::LoopTooLarge { set_bytes, cache_bytes, pinned_bytes_ratio } => {
            let part = match (cache_bytes, pinned_bytes_ratio) {
                (Some(bytes), Some(ratio)) => {
                    format!(
                        "{} of it fixed on disk has {} of the reads",
                        size(bytes),
                        share(ratio, 0)
                    )
                }
                _ => "a part fixed on disk has its share of the reads".to_owned(),
            };
            format!(
                "a loop over {}, larger than the cache: LRU drops each object before it is read again; {part}, and a new \
                 order of the shards in each epoch gains a little",
                bytes_binary(set_bytes)
            )
        }
        CacheAdvice::Keep { pattern: of, cache_bytes, hit_bytes_ratio } => format!(
            "{}: {} of cache has {} of the bytes",
            pattern(of),
            size(cache_bytes),
            share(hit_bytes_ratio, 0)
        ),
        CacheAdvice::TooSmall { cache_bytes, hit_bytes_ratio } => match cache_bytes {
            Some(bytes) => format!(
                "what is read again comes after too much else: {} of cache has {} of the bytes",
                size(bytes),
                share(hit_bytes_ratio, 0)
            ),
            None => {
                "what is read again comes after more than any cache of the curve holds".to_owned()
            }
        },
    }
}

/// Price of a path, for a basis: a clause without a full stop.
pub fn path_price(price: Option<PathPrice>) -> String {
    match price {
        None => "what the path charges is not known (--path or --usd-per-gb tells it)".to_owned(),
        Some(PathPrice::PerGb(usd)) => format!("{}/GB as given", usd_rate(usd)),
        Some(PathPrice::List(CachePath::InterRegion)) => {
            "list price between regions, $0.02/GB from us-east-1 to most others".to_owned()
        }
        Some(PathPrice::List(CachePath::Nat)) => {
            "list price of NAT gateways, $0.045/GB in us-east-1".to_owned()
        }
        Some(PathPrice::List(CachePath::Internet)) => {
            "list price to the internet by step, $0.09/GB to $0.05/GB from us-east-1".to_owned()
        }
        Some(PathPrice::List(CachePath::Requests)) => {
            "list price of GET requests; within the region bytes cost nothing".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIB: u64 = 1 << 40;

    #[test]
    fn advice_names_the_size_and_the_share() {
        let keep = CacheAdvice::Keep {
            pattern: Pattern::Shuffled,
            cache_bytes: 2 * TIB,
            hit_bytes_ratio: 0.912,
        };
        assert_eq!(
            advice(&keep),
            "rounds, each in another order: 2 TiB of cache has 91% of the bytes"
        );
        let of = |cache_bytes, pinned_bytes_ratio| {
            advice(&CacheAdvice::LoopTooLarge {
                set_bytes: 400.0 * TIB as f64,
                cache_bytes,
                pinned_bytes_ratio,
            })
        };
        let part = of(Some(64 * TIB), Some(0.107));
        assert!(
            part.starts_with("a loop over 400 TiB, larger than the cache: LRU drops"),
            "{part}"
        );
        assert!(part.contains("64 TiB of it fixed on disk has 11% of the reads"), "{part}");
        assert!(of(None, None).contains("a part fixed on disk has its share"));
        assert!(advice(&CacheAdvice::ReadOnce).ends_with("stream it"));
    }
}
