//! The first screen without credentials: a sentence, what to do, the demo.

use super::{Line, wrap};
use crate::app::App;
use crate::app::Role;
use crate::app::keymap::Action;

/// Lines of the first screen. `message` = error of the credential chain.
pub fn lines(app: &App, message: &str, width: usize) -> Vec<Line> {
    let mut lines = vec![
        Line::new(),
        Line::of(Role::Warn, "burntop found no AWS credentials, so there is no fleet to show."),
    ];
    lines.extend(wrap(message, width).into_iter().map(|l| Line::of(Role::Dim, l)));
    lines.push(Line::new());
    lines.push(Line::of(
        Role::Text,
        "To see your own fleet, one of these, then start burntop again:",
    ));
    for (command, why) in [
        ("aws sso login --profile NAME", "a session of your organisation's sign-in"),
        ("aws configure", "keys of an IAM user"),
        ("burntop --profile NAME", "a profile that is there already"),
    ] {
        lines.push(Line::new().text("  ").column(Role::Accent, command, 30).with(Role::Dim, why));
    }
    lines.push(Line::of(Role::Dim, "On an EC2 instance with a role, nothing is needed."));
    lines.push(Line::new());
    let key = app.keymap().keys(Action::Demo).first().map(ToString::to_string);
    let demo = match key {
        Some(key) => Line::of(Role::Text, "Press ")
            .with(Role::Accent, key)
            .text(" for the demo: a made-up fleet that behaves like a real one."),
        None => Line::of(Role::Text, "`burntop --demo` shows a made-up fleet instead."),
    };
    lines.push(demo);
    lines
}
