//! Figures as text: dollars, sizes, percents, spans, plurals, numbers; one file per family.
//!
//! Every function takes any `f64`: NaN and infinities come out as `–`, what no terminal has room for in
//! scientific notation. Texts that are read back or hashed (configuration, policies, plan files) have writers
//! of their own.

mod dollars;
mod numbers;
mod percents;
mod plurals;
mod sizes;
mod spans;

pub use dollars::{
    dollars, usd, usd_coarse, usd_fine, usd_per_hour, usd_rate, usd_short, usd_signed, usd_spent,
    usd_total,
};
pub use numbers::{count, count_short, grouped, trimmed};
pub use percents::{percent, percent_trimmed, share};
pub use plurals::{counted, noun, plural};
pub use sizes::{bytes, bytes_binary, gib};
pub use spans::{age, at_least, span, span_long, span_words};

/// In place of a number that is none.
const NOT_A_NUMBER: &str = "–";
