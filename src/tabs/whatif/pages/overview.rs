//! The plan on the Overview: what it would save.

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, Target};
use crate::tabs::whatif::TAB;
use crate::tabs::whatif::picture::words;
use crate::view::format;
use crate::whatif::Stage;

/// Line for the Overview: what the plan would save. `None` while no plan is valued completely.
pub fn overview(app: &App) -> Option<Line> {
    let tab = app.whatif();
    let answer = tab.answer().filter(|a| a.stage == Stage::Whole)?;
    let lists = &answer.lists;
    let saves: f64 = lists.buy.iter().map(|entry| entry.saves_usd).sum();
    let symbols = app.appearance().symbols;
    let text = match lists.buy.len() {
        0 => "nothing to buy now".to_owned(),
        n => {
            let what = format::counted(n, "purchase now saves", "purchases now save");
            format!("{what} {}", words::usd_short(saves))
        }
    };
    let later = format!(
        " over {}, before stops and Spot {} {} later {} {} to leave",
        format::plural(usize::from(answer.weeks), "week"),
        symbols.separator(),
        lists.plan.len(),
        symbols.separator(),
        lists.avoid.len()
    );
    let only = tab.scenario().and_then(|scenario| scenario.only.as_ref());
    let text = match only {
        Some(only) => format!("only {only}: {text}"),
        None => text,
    };
    let line = Line::of(Role::Heading, "What-if").text("  ").with(Role::Ok, text);
    Some(line.with(Role::Dim, later).to(Target::Tab(TAB)))
}
