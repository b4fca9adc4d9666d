//! Dollars of a bill: exact decimals, so that any sum equals the invoice to the last digit.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Decimal places that are kept; bills have 10, some providers up to 16.
const PLACES: u32 = 18;

/// One dollar.
const ONE: i128 = 10_i128.pow(PLACES);

/// The tenth decimal place, to which bills write amounts.
const TENTH: i128 = ONE / 10_i128.pow(10);

/// Largest amount of one line, dollars: beyond it a file is damaged, and sums of 2⁵⁰ lines stay in range.
const LINE_AT_MOST: i128 = USD_OF_A_LINE_AT_MOST as i128 * ONE;

/// Largest amount of one line in dollars, for messages.
pub const USD_OF_A_LINE_AT_MOST: u64 = 1_000_000_000;

/// An amount in US dollars, exact to 10⁻¹⁸ (attodollars). Sums never round; they saturate at 1.7 × 10²⁰ dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(i128);

impl Usd {
    /// No dollars.
    pub const ZERO: Self = Self(0);

    /// Whole dollars.
    pub const fn whole(dollars: i64) -> Self {
        Self(dollars as i128 * ONE)
    }

    /// The decimal in `text`, as in `-12.3456789` or `1.2E-7`, without spaces or separators of thousands; places
    /// beyond the 18th are rounded half away from zero. `None` for anything else, and beyond
    /// ±[`USD_OF_A_LINE_AT_MOST`].
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let (mantissa, exponent) = match digits.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(at) => (&digits[..at], exponent(&digits[at + 1..])?),
            None => (digits, 0),
        };
        let (mut value, mut places, mut seen, mut point) = (0_i128, 0_i32, false, false);
        // Digits beyond what an i128 holds decide nothing but the rounding of the last place.
        let mut dropped = 0_i32;
        for byte in mantissa {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    if value < i128::MAX / 100 {
                        value = value * 10 + i128::from(byte - b'0');
                        places += i32::from(point);
                    } else {
                        dropped += i32::from(!point);
                    }
                }
                b'.' if !point => point = true,
                _ => return None,
            }
        }
        if !seen {
            return None;
        }
        let shift = PLACES as i32 - places + dropped + exponent;
        let value = if value == 0 {
            0
        } else if shift >= 0 {
            let factor = 10_i128.checked_pow(u32::try_from(shift).ok()?)?;
            value.checked_mul(factor)?
        } else {
            match 10_i128.checked_pow(shift.unsigned_abs()) {
                Some(divisor) => (value + divisor / 2) / divisor,
                None => 0,
            }
        };
        let limit = LINE_AT_MOST;
        (value <= limit).then_some(Self(if negative { -value } else { value }))
    }

    /// The shortest decimal that reads back as `amount`: what a producer wrote before a file made it binary. `None` for
    /// what is not finite, and beyond ±[`USD_OF_A_LINE_AT_MOST`].
    pub fn from_f64(amount: f64) -> Option<Self> {
        if amount == 0.0 {
            return Some(Self::ZERO);
        }
        if !amount.is_finite() {
            return None;
        }
        // Ten places do for most amounts. Of decimals with 15 digits at most only one reads back as a binary number, and
        // a quotient of whole numbers is rounded as text that is read.
        let tens = (amount * 1e10).round();
        if tens.abs() < 1e15 && tens / 1e10 == amount {
            return Some(Self(tens as i128 * (ONE / 10_000_000_000)));
        }
        // `{:e}` prints the shortest digits that read back.
        let mut text = Digits::default();
        fmt::Write::write_fmt(&mut text, format_args!("{amount:e}")).ok()?;
        Self::parse(text.as_bytes())
    }

    /// `unscaled` × 10^-`scale`, as Parquet and Arrow keep decimals. `None` beyond ±[`USD_OF_A_LINE_AT_MOST`].
    pub fn from_decimal(unscaled: i128, scale: i8) -> Option<Self> {
        let shift = PLACES as i32 - i32::from(scale);
        let value = if shift >= 0 {
            unscaled.checked_mul(10_i128.checked_pow(shift.unsigned_abs())?)?
        } else {
            let divisor = 10_i128.checked_pow(shift.unsigned_abs())?;
            let half = divisor / 2 * unscaled.signum();
            unscaled.checked_add(half)? / divisor
        };
        (value.unsigned_abs() <= LINE_AT_MOST.unsigned_abs()).then_some(Self(value))
    }

    /// The nearest binary number, for what is compared, drawn or estimated; no sum is made of it.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// The amount with `places` decimal places, 18 at most, rounded half away from zero.
    #[must_use]
    pub const fn rounded(self, places: u32) -> Self {
        let unit = 10_i128.pow(PLACES.saturating_sub(places));
        let half = unit / 2 * self.0.signum();
        Self(self.0.saturating_add(half) / unit * unit)
    }

    /// In ten-billionths of a dollar, in half the room; `None` of an amount with further places, and beyond ±9 × 10⁸ dollars.
    pub fn short(self) -> Option<i64> {
        if self.0 % TENTH != 0 {
            return None;
        }
        i64::try_from(self.0 / TENTH).ok()
    }

    /// The amount of which [`Self::short`] gave this.
    pub const fn from_short(short: i64) -> Self {
        Self(short as i128 * TENTH)
    }

    /// The amount without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// True for nothing at all; an amount and its refund are none either.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// True below zero: credits, refunds, discounts.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// `by` ÷ `of` of the amount, to ten decimal places (half away from zero), as bills write amounts; nothing for an
    /// `of` of 0. Both at most 2⁶³. A rate times a quantity, or the part of a month's price that falls on some of its hours.
    #[must_use]
    pub const fn prorated(self, by: u64, of: u64) -> Self {
        if of == 0 {
            return Self::ZERO;
        }
        let (by, of) = (by as i128, of as i128);
        // Whole and rest apart, so that the product stays in range.
        let whole = (self.0 / of).saturating_mul(by);
        let exact = whole.saturating_add((self.0 % of).saturating_mul(by) / of);
        let half = TENTH / 2 * exact.signum();
        Self(exact.saturating_add(half) / TENTH * TENTH)
    }

    /// Parts in proportion to `weights`, which add up to the amount exactly: what remains of the division goes to the
    /// first parts. The amount itself in one part where all weights are 0; empty without weights.
    pub fn split(self, weights: &[u64]) -> Vec<Self> {
        let total: u128 = weights.iter().map(|w| u128::from(*w)).sum();
        let Some(total) = i128::try_from(total).ok().filter(|t| *t > 0) else {
            let first = (!weights.is_empty()).then_some(self);
            return first.into_iter().chain(weights.iter().skip(1).map(|_| Self::ZERO)).collect();
        };
        let (mut given, mut before) = (0_i128, 0_i128);
        weights
            .iter()
            .map(|weight| {
                before += i128::from(*weight);
                // Whole and rest apart, so that the product stays in range.
                let upto = self.0 / total * before + self.0 % total * before / total;
                let part = upto - given;
                given = upto;
                Self(part)
            })
            .collect()
    }
}

/// Exponent of a decimal; `None` where it is no number of at most three digits.
fn exponent(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    if digits.is_empty() || digits.len() > 3 {
        return None;
    }
    digits
        .iter()
        .try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i32::from(b - b'0')))
        .map(|n| sign * n)
}

/// Text of a number, on the stack: a bill has millions.
#[derive(Default)]
struct Digits {
    text: [u8; 32],
    len: usize,
}

impl Digits {
    fn as_bytes(&self) -> &[u8] {
        &self.text[..self.len]
    }
}

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.text.get_mut(self.len..self.len + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

/// All digits, without trailing zeros: `-12.34`, `0.0000001`, `3`. A JSON number as well.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) =
            (self.0.unsigned_abs() / ONE as u128, self.0.unsigned_abs() % ONE as u128);
        if self.0 < 0 {
            f.write_str("-")?;
        }
        if part == 0 {
            return write!(f, "{whole}");
        }
        let part = format!("{part:018}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Usd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Usd {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Usd {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl<'a> Sum<&'a Usd> for Usd {
    fn sum<I: Iterator<Item = &'a Usd>>(all: I) -> Self {
        all.copied().sum()
    }
}

/// In the cache: the attodollars. In a format for people: the digits as text.
impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { to.collect_str(self) } else { self.0.serialize(to) }
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if !from.is_human_readable() {
            return i128::deserialize(from).map(Self);
        }
        let text = String::deserialize(from)?;
        Self::parse(text.as_bytes()).ok_or_else(|| serde::de::Error::custom("no amount in dollars"))
    }
}

impl JsonSchema for Usd {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Usd".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "number", "description": "US dollars, all digits"})
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usd(text: &str) -> Usd {
        Usd::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn decimals_are_read_and_written_to_the_last_digit() {
        for (text, written) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("535198.6889153277", "535198.6889153277"),
            ("+1", "1"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0.0000000001", "-0.0000000001"),
            ("1.2E-7", "0.00000012"),
            ("1e3", "1000"),
            ("0.123456789012345678", "0.123456789012345678"),
            ("0.1234567890123456785", "0.123456789012345679"),
            ("0.00000000000000000000000000000000000000000000001", "0"),
            ("1.00000000000000000000000000000000000000000000001", "1"),
            ("000000000000000000000000000000000000000000000000000001.5", "1.5"),
        ] {
            assert_eq!(usd(text).to_string(), written, "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1e9999",
            "1,000",
            " 1",
            "1 ",
            "$1",
            "NaN",
            "1.2.3",
            "1e-",
            "2000000000",
        ] {
            assert_eq!(Usd::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(usd("1000000000").to_string(), USD_OF_A_LINE_AT_MOST.to_string());
    }

    #[test]
    fn binary_amounts_become_the_decimal_that_was_meant() {
        for (amount, written) in [
            (0.1 + 0.2, "0.30000000000000004"),
            (55.04 * 24.0, "1320.96"),
            (-42.0, "-42"),
            (5e-7, "0.0000005"),
        ] {
            assert_eq!(Usd::from_f64(amount).unwrap().to_string(), written);
        }
        for amount in [f64::NAN, f64::INFINITY, f64::MIN, 1.1e9] {
            assert_eq!(Usd::from_f64(amount), None);
        }
        for (amount, places, rounded) in [
            ("3318.0799999999999", 10, "3318.08"),
            ("-0.00000000005", 10, "-0.0000000001"),
            ("1.25", 18, "1.25"),
        ] {
            assert_eq!(usd(amount).rounded(places), usd(rounded), "{amount}");
        }
        assert_eq!(Usd::from_decimal(-123_456, 4).unwrap().to_string(), "-12.3456");
        assert_eq!(Usd::from_decimal(15, 19).unwrap().to_string(), "0.000000000000000002");
        assert_eq!(Usd::from_decimal(-15, 19).unwrap().to_string(), "-0.000000000000000002");
        assert_eq!(Usd::from_decimal(i128::MAX, 0), None);
    }

    #[test]
    fn a_part_of_an_amount_has_ten_places() {
        assert_eq!(usd("55.04").prorated(24, 1).to_string(), "1320.96");
        assert_eq!(usd("0.0000004").prorated(12_345, 1_000).to_string(), "0.000004938");
        assert_eq!(usd("1").prorated(2, 3).to_string(), "0.6666666667");
        assert_eq!(usd("-1").prorated(2, 3).to_string(), "-0.6666666667");
        assert_eq!(usd("1000000000").prorated(1 << 62, 1 << 62), usd("1000000000"));
        assert_eq!(usd("7").prorated(1, 0), Usd::ZERO);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(units in -1_000_000_000_000_000_000_000_000_i128..1_000_000_000_000_000_000_000_000) {
            let amount = Usd(units);
            prop_assert_eq!(usd(&amount.to_string()), amount);
            let json = serde_json::to_string(&amount).unwrap();
            prop_assert_eq!(serde_json::from_str::<Usd>(&json).unwrap(), amount);
            let bytes = postcard::to_stdvec(&amount).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Usd>(&bytes).unwrap(), amount);
        }

        #[test]
        fn binary_amounts_read_back(amount in -1e8_f64..1e8) {
            let exact = Usd::from_f64(amount).unwrap();
            prop_assert!((exact.to_f64() - amount).abs() <= amount.abs() * 1e-15 + 1e-18);
        }

        #[test]
        fn binary_amounts_are_the_shortest_decimal(tens in -999_999_999_999_999_i64..999_999_999_999_999) {
            let amount = tens as f64 / 1e10;
            prop_assert_eq!(Usd::from_f64(amount).unwrap(), usd(&format!("{amount:e}")));
        }

        #[test]
        fn any_text_is_read_or_refused(text in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(amount) = Usd::parse(&text) {
                prop_assert!(amount.abs() <= Usd::whole(1_000_000_000));
            }
        }

        #[test]
        fn parts_add_up(units in -1_000_000_000_000_000_000_000_i128..1_000_000_000_000_000_000_000, weights in proptest::collection::vec(0_u64..1_000_000, 1..9)) {
            let parts = Usd(units).split(&weights);
            prop_assert_eq!(parts.len(), weights.len());
            prop_assert_eq!(parts.iter().sum::<Usd>(), Usd(units));
            let total: u64 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights) {
                if total > 0 {
                    let wanted = units as f64 * *weight as f64 / total as f64;
                    prop_assert!((part.0 as f64 - wanted).abs() <= wanted.abs() * 1e-9 + 2.0);
                }
            }
        }
    }
}
