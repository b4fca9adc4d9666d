//! Amounts in little room: of millions of attempts each keeps two.

use crate::analyze::jobs::lost::Amount;
use crate::domain::bill::Usd;
use crate::domain::jobs::GpuTime;

/// An amount, exactly, in 24 bytes instead of 64. GPU time in millionths of a GPU-millisecond, dollars in ten-billionths, which
/// is what prices are rounded to: nearly all fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// Both are known.
    Both(u64, i64),
    /// Without a price.
    Time(u64),
    /// GPU time is unknown.
    Usd(i64),
    /// Both are unknown.
    Unknown,
    /// One that does not fit.
    Long(Box<Amount>),
}

impl Short {
    /// The amount in as little room as it takes.
    pub fn of(amount: Amount) -> Self {
        let fitting = match (amount.gpu_time, amount.usd) {
            (Some(time), Some(usd)) => time.short().zip(usd.short()).map(|(t, u)| Self::Both(t, u)),
            (Some(time), None) => time.short().map(Self::Time),
            (None, Some(usd)) => usd.short().map(Self::Usd),
            (None, None) => Some(Self::Unknown),
        };
        fitting.unwrap_or_else(|| Self::Long(Box::new(amount)))
    }

    /// The amount.
    pub fn get(&self) -> Amount {
        let (time, usd) = match self {
            Self::Both(time, usd) => (Some(*time), Some(*usd)),
            Self::Time(time) => (Some(*time), None),
            Self::Usd(usd) => (None, Some(*usd)),
            Self::Unknown => (None, None),
            Self::Long(amount) => return **amount,
        };
        Amount { gpu_time: time.map(GpuTime::from_short), usd: usd.map(Usd::from_short) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::jobs::Gpus;

    #[test]
    fn an_amount_comes_back_to_the_last_digit_whether_it_fits_or_not() {
        let usd = |text: &str| Usd::parse(text.as_bytes());
        let time = |gpus: f64, ms: i64| Some(Gpus::from_f64(gpus).unwrap().held_for(ms));
        let fits = [
            (None, None),
            (None, usd("-0.0000000001")),
            (time(0.123_456, 7), None),
            (Some(GpuTime::ZERO), Some(Usd::ZERO)),
            (time(8.0, 3_600_001), usd("922337203.6854775807")),
        ];
        // Beyond ten places, beyond 2⁶³, and more GPU time than 2⁶⁴.
        let long = [
            (time(1.0, 1), usd("0.00000000001")),
            (time(1.0, 1), usd("922337203.6854775808")),
            (time(1_000_000.0, 18_446_744_074), None),
        ];
        for (all, is_long) in [(&fits[..], false), (&long[..], true)] {
            for (gpu_time, usd) in all.iter().copied() {
                let amount = Amount { gpu_time, usd };
                let short = Short::of(amount);
                assert_eq!(short.get(), amount);
                assert_eq!(matches!(short, Short::Long(_)), is_long, "{amount:?}");
            }
        }
        assert_eq!(size_of::<Short>(), 24);
    }
}
