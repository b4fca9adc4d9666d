//! Series, and the text made of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::families::ALL;
use super::family::Family;
use super::kept::label_text;

/// Series of all families.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    /// By name of the family, then by the values of its labels in their order.
    families: BTreeMap<&'static str, BTreeMap<Vec<String>, f64>>,
}

impl Page {
    /// Sets a series. `None` and what is no finite number leave none; a series that is there already takes the value in
    /// as its family folds.
    pub fn set(&mut self, family: &'static Family, labels: &[&str], value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        debug_assert_eq!(labels.len(), family.labels.len(), "{}", family.name);
        let labels = labels.iter().map(|text| label_text(text).into_owned()).collect();
        let series = self.families.entry(family.name).or_default();
        series
            .entry(labels)
            .and_modify(|there| *there = family.fold.of(*there, value))
            .or_insert(value);
    }

    /// Sets the one series of a family without labels.
    pub fn single(&mut self, family: &'static Family, value: Option<f64>) {
        self.set(family, &[], value);
    }

    /// The text, format 0.0.4.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for family in ALL {
            let Some(series) = self.families.get(family.name) else { continue };
            let Family { name, kind, help, unit, .. } = family;
            let _ = writeln!(
                out,
                "# HELP {name} {} Unit: {}.",
                escaped(help, false),
                escaped(unit, false)
            );
            let _ = writeln!(out, "# TYPE {name} {}", kind.word());
            for (values, value) in series {
                out.push_str(name);
                let pairs = family.labels.iter().zip(values).enumerate();
                for (at, (label, text)) in pairs {
                    let open = if at == 0 { '{' } else { ',' };
                    let _ = write!(out, "{open}{label}=\"{}\"", escaped(text, true));
                }
                if !values.is_empty() {
                    out.push('}');
                }
                // The shortest text that reads back as the same number; never with an exponent.
                let _ = writeln!(out, " {}", value + 0.0);
            }
        }
        out
    }
}

/// Text with the escapes of the format: of backslashes and line feeds, and of quotes where it stands in them.
fn escaped(text: &str, quoted: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '"' if quoted => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::families::{BUDGET_USED, LAST_ROUND, SOURCE_UP, TEAM_BURN};
    use super::*;

    fn of_teams(teams: &[(&str, f64)]) -> String {
        let mut page = Page::default();
        teams.iter().for_each(|(team, usd)| page.set(&TEAM_BURN, &[team], Some(*usd)));
        page.text()
    }

    #[test]
    fn a_family_has_its_help_and_type_once_before_its_series_in_order() {
        let text = of_teams(&[("b", 2.5), ("a", 1.0)]);
        let help = TEAM_BURN.help;
        assert_eq!(
            text,
            format!(
                "# HELP burntop_team_burn_usd_per_hour {help} Unit: USD/h.\n\
                 # TYPE burntop_team_burn_usd_per_hour gauge\n\
                 burntop_team_burn_usd_per_hour{{team=\"a\"}} 1\n\
                 burntop_team_burn_usd_per_hour{{team=\"b\"}} 2.5\n"
            )
        );
    }

    #[test]
    fn what_is_not_known_and_what_is_no_number_has_no_series() {
        let mut page = Page::default();
        for value in [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY)] {
            page.single(&LAST_ROUND, value);
        }
        assert_eq!(page.text(), "");
    }

    #[test]
    fn numbers_are_plain_and_nothing_is_minus_nothing() {
        for (value, text) in [
            (-0.0, "0"),
            (1e21, "1000000000000000000000"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-2.5, "-2.5"),
        ] {
            let mut page = Page::default();
            page.single(&LAST_ROUND, Some(value));
            let line = page.text().lines().last().unwrap().to_owned();
            assert_eq!(line.rsplit(' ').next(), Some(text));
        }
    }

    #[test]
    fn values_of_one_series_are_put_together_as_the_family_says() {
        let mut page = Page::default();
        for (value, up) in [(0.2, 1.0), (0.7, 0.0), (0.4, 1.0)] {
            page.set(&TEAM_BURN, &["x"], Some(value));
            page.set(&BUDGET_USED, &["x"], Some(value));
            page.set(&SOURCE_UP, &["x", "y", "z"], Some(up));
        }
        let text = page.text();
        let value = |name: &str| -> f64 {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line.rsplit(' ').next().unwrap().parse().unwrap()
        };
        assert!((value("burntop_team_burn") - 1.3).abs() < 1e-12);
        assert_eq!((value("burntop_budget_used"), value("burntop_source_up")), (0.7, 0.0));
    }

    #[test]
    fn quotes_backslashes_and_line_feeds_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd", true), "a\\\"b\\\\c\\nd");
        assert_eq!(escaped("a\"b\\c\nd", false), "a\"b\\\\c\\nd");
    }
}
