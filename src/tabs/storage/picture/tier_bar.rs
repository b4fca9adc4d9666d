//! A bar that says in which tiers the dollars are.

use std::borrow::Cow;

use crate::domain::storage::Tier;
use crate::view::Symbols;

/// How fast the bytes of a tier can be read, a segment of its bar. The letter shows it without any colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heat {
    /// Standard, Frequent Access, Express.
    Hot,
    /// Infrequent access.
    Warm,
    /// Instant archives.
    Cold,
    /// Archives that have to be restored.
    Frozen,
    /// No class, or one that nobody knows.
    Other,
}

impl Heat {
    /// All, hottest first.
    pub const ALL: [Self; 5] = [Self::Hot, Self::Warm, Self::Cold, Self::Frozen, Self::Other];

    /// Heat of a tier.
    pub fn of(tier: Tier) -> Self {
        match tier {
            Tier::Standard | Tier::ItFrequent | Tier::Express | Tier::ReducedRedundancy => {
                Self::Hot
            }
            Tier::ItInfrequent | Tier::StandardIa | Tier::OnezoneIa => Self::Warm,
            Tier::ItArchiveInstant | Tier::GlacierIr => Self::Cold,
            Tier::ItArchive | Tier::ItDeepArchive | Tier::Glacier | Tier::DeepArchive => {
                Self::Frozen
            }
            Tier::File | Tier::Unknown => Self::Other,
        }
    }

    /// Label beside a bar.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
            Self::Frozen => "frozen",
            Self::Other => "other",
        }
    }

    fn glyph(self, symbols: Symbols) -> char {
        match (symbols, self) {
            (Symbols::Unicode, Self::Hot) => '█',
            (Symbols::Unicode, Self::Warm) => '▓',
            (Symbols::Unicode, Self::Cold) => '▒',
            (Symbols::Unicode, Self::Frozen) => '░',
            (Symbols::Ascii, Self::Hot) => '#',
            (Symbols::Ascii, Self::Warm) => '=',
            (Symbols::Ascii, Self::Cold) => '-',
            (Symbols::Ascii, Self::Frozen) => '.',
            (_, Self::Other) => '?',
        }
    }
}

/// Number of the words that a filter takes for tiers.
const WORD_COUNT: usize = Heat::ALL.len() + Tier::ALL.len();

/// Words that a filter takes for tiers: the labels of bars, then the tiers.
pub const WORDS: [&str; WORD_COUNT] = words();

const fn words() -> [&'static str; WORD_COUNT] {
    let mut all = [""; WORD_COUNT];
    let mut at = 0;
    while at < WORD_COUNT {
        let tiers_from = Heat::ALL.len();
        all[at] =
            if at < tiers_from { Heat::ALL[at].word() } else { Tier::ALL[at - tiers_from].word() };
        at += 1;
    }
    all
}

/// What a filter compares: the label of the bar of these shares, and each of the tiers.
pub fn compared<'a>(
    shares: [f64; 5],
    tiers: impl Iterator<Item = Tier>,
) -> impl Iterator<Item = Cow<'a, str>> {
    let words = tiers.map(Tier::word);
    let words = most(&shares).map(Heat::word).into_iter().chain(words);
    words.map(|word| -> Cow<'a, str> { word.into() })
}

/// Shares by heat, 0–1, of shares by tier that add up to about 1.
pub fn by_heat(shares: impl Iterator<Item = (Tier, f64)>) -> [f64; 5] {
    let mut out = [0.0; 5];
    for (tier, share) in shares {
        out[Heat::of(tier) as usize] += share;
    }
    out
}

/// The bar, `width` glyphs, hottest first: each heat by its share, largest remainders rounded up, so
/// that it is full exactly. Empty where there are no shares.
pub fn bar(shares: &[f64; 5], width: usize, symbols: Symbols) -> String {
    let sum: f64 = shares.iter().sum();
    if sum <= 0.0 || !sum.is_finite() {
        return String::new();
    }
    let exact = shares.map(|share| share / sum * width as f64);
    let mut cells = exact.map(|e| e as usize);
    while cells.iter().sum::<usize>() < width {
        let rest = |i: &usize| exact[*i] - cells[*i] as f64;
        let Some(next) = (0..5).max_by(|a, b| rest(a).total_cmp(&rest(b))) else { break };
        cells[next] += 1;
    }
    let glyphs = Heat::ALL.into_iter().zip(cells);
    glyphs.flat_map(|(heat, n)| std::iter::repeat_n(heat.glyph(symbols), n)).collect()
}

/// The heat with the most dollars, of several the hottest; `None` without shares.
fn most(shares: &[f64; 5]) -> Option<Heat> {
    let most = Heat::ALL
        .into_iter()
        .max_by(|a, b| shares[*a as usize].total_cmp(&shares[*b as usize]).then_with(|| b.cmp(a)));
    most.filter(|_| shares.iter().sum::<f64>() > 0.0)
}

/// Bar and label of the heat with the most dollars: `████▒▒ hot`; the label alone where there is no room.
pub fn cell(shares: &[f64; 5], width: usize, symbols: Symbols) -> String {
    let Some(most) = most(shares) else {
        return symbols.unknown().to_owned();
    };
    format!("{} {}", bar(shares, width, symbols), most.word())
}
