//! The command line of `burntop trend`.

use clap::Args;

use crate::analyze::trend::{PeriodKind, TrendKey};
use crate::cli::list_options::ListOptions;

/// By what a trend is told, and how it is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct TrendArgs {
    /// The length of the periods (day, week, month), what rows are told apart by besides (account, team), or both.
    #[arg(long, value_name = "BY[,BY]", value_delimiter = ',', value_parser = by)]
    pub by: Vec<By>,
    /// How it is listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// A word of `--by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Length of the periods.
    Period(PeriodKind),
    /// What rows are told apart by besides.
    Key(TrendKey),
}

fn by(text: &str) -> Result<By, String> {
    let period = PeriodKind::ALL.into_iter().find(|kind| kind.word() == text).map(By::Period);
    let keys = [TrendKey::Account, TrendKey::Team];
    let key = || keys.into_iter().find(|key| key.word() == text).map(By::Key);
    period.or_else(key).ok_or_else(|| "day, week, month, account or team is wanted".to_owned())
}

impl TrendArgs {
    /// Periods, months without any, and the key. Err with two of a kind, which mean nothing together.
    pub fn by(&self) -> Result<(PeriodKind, TrendKey), String> {
        let (mut kind, mut key) = (None, None);
        for by in &self.by {
            let twice = match by {
                By::Period(of) => kind.replace(*of).is_some(),
                By::Key(of) => key.replace(*of).is_some(),
            };
            if twice {
                return Err("--by: one of day, week, month, and one of account, team".to_owned());
            }
        }
        Ok((kind.unwrap_or_default(), key.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_and_a_key_go_together_and_two_of_a_kind_do_not() {
        let of = |words: &[&str]| {
            let by = words.iter().map(|word| by(word).unwrap()).collect();
            TrendArgs { by, ..TrendArgs::default() }.by()
        };
        assert_eq!(of(&[]), Ok((PeriodKind::Month, TrendKey::All)));
        assert_eq!(of(&["week"]), Ok((PeriodKind::Week, TrendKey::All)));
        assert_eq!(of(&["team", "day"]), Ok((PeriodKind::Day, TrendKey::Team)));
        assert!(of(&["day", "week"]).is_err());
        assert!(of(&["team", "account"]).is_err());
        assert!(by("year").is_err());
    }
}
