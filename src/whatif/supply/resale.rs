//! What a commitment is still worth to somebody else: the floor under a wrong purchase.

use crate::whatif::OfferKind;

/// What selling a standard RI depends on. Neither number is public for a GPU family: both are what
/// the seller expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Market {
    /// How much below its price the remaining time sells, 0–1.
    pub haircut: f64,
    /// The marketplace's part of the sale, 0–1.
    pub fee: f64,
}

/// USD that the remaining `months_left` of a unit at `usd_per_month` bring; `None` for what
/// nobody can sell: Savings Plans, convertible RIs, Capacity Blocks.
pub fn value(kind: OfferKind, usd_per_month: f64, months_left: f64, market: Market) -> Option<f64> {
    let sold = usd_per_month * months_left.max(0.0);
    (kind == OfferKind::StandardRi).then_some(sold * (1.0 - market.haircut) * (1.0 - market.fee))
}

/// The most that can be lost on a unit, as a part of what is still due: 1 − what a sale returns.
/// All of it where nothing can be sold.
pub fn worst_loss(kind: OfferKind, market: Market) -> f64 {
    1.0 - value(kind, 1.0, 1.0, market).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKET: Market = Market { haircut: 0.2, fee: 0.1 };

    #[test]
    fn a_sale_returns_what_the_market_leaves() {
        assert_eq!(value(OfferKind::StandardRi, 1000.0, 6.0, MARKET), Some(6000.0 * 0.8 * 0.9));
        assert_eq!(value(OfferKind::StandardRi, 1000.0, -1.0, MARKET), Some(0.0));
        assert!((worst_loss(OfferKind::StandardRi, MARKET) - 0.28).abs() < 1e-12);
    }

    #[test]
    fn plans_cannot_be_sold() {
        for kind in [OfferKind::InstancePlan, OfferKind::CapacityBlock, OfferKind::ConvertibleRi] {
            assert_eq!(value(kind, 1000.0, 6.0, MARKET), None);
            assert_eq!(worst_loss(kind, MARKET), 1.0);
        }
    }
}
