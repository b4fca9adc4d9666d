//! How to give a demand, and what plans are.

use super::paragraph;
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::app::keymap::Action;

/// Lines shown in place of inputs and charts while there is no demand.
pub fn how(app: &App, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Planning what to buy")];
    let says = "A plan needs to know how many units ran in each hour. Nothing has to be given: burntop reads what \
                ran here by itself. Then it draws thousands of futures from that and values what you would buy \
                over all of them, as you move it.";
    paragraph(Role::Text, says, width, &mut lines);
    lines.push(Line::new());
    let (role, state) = match app.whatif().why_not() {
        Some(why) => (Role::Warn, why),
        None => (Role::Heading, "Reading what ran here: the plan opens by itself."),
    };
    paragraph(role, state, width, &mut lines);
    lines.push(Line::new());
    lines.push(Line::of(Role::Heading, "Ways to give another demand"));
    let ways = [
        (
            ":demand FILE.csv",
            "A header; a time column first, then one column per family, one row an hour.",
        ),
        (
            ":demand history",
            "What burntop saw running, as far back as its cache goes: whole weeks. Read by itself.",
        ),
        ("burntop whatif reserve …", "The same without a screen, see `burntop whatif --help`."),
    ];
    for (command, doc) in ways {
        lines.push(Line::new().text("  ").with(Role::Accent, command));
        for part in super::wrap(doc, width.saturating_sub(4).max(8)) {
            lines.push(Line::new().text("    ").with(Role::Dim, part));
        }
    }
    lines.push(Line::new());
    lines.push(Line::of(Role::Heading, "Then"));
    let key = |action: Action| {
        app.keymap().keys(action).first().map_or_else(|| "(no key)".to_owned(), ToString::to_string)
    };
    let then = [
        (Action::BuyBest, "buys as many units as are recommended"),
        (Action::Raise, "and its opposite move the input under the cursor"),
        (Action::SetValue, "types its value: 30%, 12, $1.74, 3y"),
        (Action::NextChart, "goes through the charts"),
        (Action::SlotB, "goes on with a copy; again, compares them"),
        (Action::Explain, "prints the arithmetic of what is under the cursor"),
        (Action::SaveScenario, "keeps the scenario under a name"),
        (Action::Export, "writes the memo"),
    ];
    for (action, doc) in then {
        lines.push(
            Line::new().text("  ").column(Role::Accent, &key(action), 4).with(Role::Dim, doc),
        );
    }
    lines
}
