//! Text in place of the table while there is no telemetry.

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, wrap};

/// Ways to have telemetry, each with what it is good for.
const WAYS: [(&str, &str); 5] = [
    ("[[gpus.prometheus]]", "a server that scrapes dcgm-exporter: any scale, with history"),
    ("[[gpus.exporters]]", "dcgm-exporter or its kin, read directly"),
    ("gpus.local = true", "the GPUs of this machine"),
    ("gpus.cloudwatch = true", "what the CloudWatch agent publishes, each five minutes"),
    ("[[gpus.ssh]]", "nvidia-smi over ssh, for hosts without an exporter"),
];

/// Lines shown while there is no GPU: sources that can be configured, and instances without telemetry.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let has_none = app.shown().is_some_and(|fleet| fleet.totals.gpus <= 0.0);
    let what = if has_none { "No instance with a GPU, and no" } else { "No" };
    lines.push(Line::of(Role::Heading, format!("{what} telemetry of any GPU yet")));
    let text = "`burntop doctor` looks for sources of GPU telemetry and says how to use what it finds. \
         In the config file:";
    lines.extend(wrap(text, width).into_iter().map(|part| Line::of(Role::Text, part)));
    for (name, what) in WAYS {
        bullet(&format!("{name}: {what}"), width, &mut lines);
    }
    let blind = app.gpu_tab().said().and_then(|said| said.blind.sentence());
    if let Some(sentence) = blind {
        lines.push(Line::new());
        lines.push(Line::of(Role::Warn, sentence));
        lines.extend(super::lists::fixes(app, width));
    }
    lines
}

/// An indented paragraph.
fn bullet(text: &str, width: usize, lines: &mut Vec<Line>) {
    for part in wrap(text, width.saturating_sub(2)) {
        lines.push(Line::new().text("  ").text(part));
    }
}
