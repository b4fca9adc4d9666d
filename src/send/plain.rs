//! A message as plain text.

use crate::domain::text::for_output;
use crate::watch::message::Message;

/// The title, and below it the text.
pub fn text(message: &Message) -> String {
    let lines = [&message.title].into_iter().chain(&message.lines);
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    for_output(&text).into_owned()
}

/// The same with the text set off from the title, for where messages stand one below the other.
pub fn listed(message: &Message) -> String {
    let lines = message.lines.iter().flat_map(|line| line.split('\n'));
    let lines: String = lines.map(|line| format!("  {line}\n")).collect();
    for_output(&format!("{}\n{lines}", message.title)).into_owned()
}
