//! The lists without a row.

use crate::app::Role;
use crate::app::content::Line;
use crate::app::content::reading::failed_sources;
use crate::app::{App, SavingsLook};
use crate::domain::SourceId;
use crate::tabs::storage::pages::parts::paragraph;

/// What a list says where it has nothing to show.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let look = app.savings_tab().look();
    let mut lines = Vec::new();
    let Some(savings) = app.savings() else {
        lines.push(Line::of(Role::Heading, format!("{}: not known yet", look.title())));
        let text = "What could be saved is worked out once commitments, prices over time and \
                    resources were read.";
        paragraph(Role::Text, text, width, &mut lines);
        return lines;
    };
    let (what, why) = match look {
        SavingsLook::Overview => ("nothing", ""),
        SavingsLook::Commitments if !savings.unread.is_empty() => (
            "not known",
            "Commitments could not be read: nets are not known, and gross is not net.",
        ),
        SavingsLook::Commitments => (
            "none held",
            "No account that is read holds Reserved Instances, Savings Plans or reserved \
             capacity: gross and net are the same.",
        ),
        SavingsLook::Proposals => (
            "no instance could be smaller",
            "No running instance is underused as far as its evidence tells.",
        ),
        SavingsLook::Spot => {
            ("nothing runs on demand", "There is no instance that Spot could be proposed for.")
        }
        SavingsLook::Resources => (
            "nothing else bills",
            "No notebook, endpoint, app, address, NAT gateway or load balancer was seen.",
        ),
    };
    lines.push(Line::of(Role::Heading, format!("{}: {what}", look.title())));
    paragraph(Role::Text, why, width, &mut lines);
    for unread in &savings.unread {
        let text = format!("{unread}: {}", unread.why);
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    let sources: &[SourceId] = match look {
        SavingsLook::Spot => &[SourceId::SpotHistory, SourceId::Offerings],
        SavingsLook::Resources => &[SourceId::Resources],
        _ => &[SourceId::Commitments],
    };
    let readings = savings.readings.iter().filter(|r| sources.contains(&r.source));
    for text in failed_sources(readings) {
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    paragraph(
        Role::Dim,
        "o shows the next list, 1 or esc goes back to the overview.",
        width,
        &mut lines,
    );
    lines
}
