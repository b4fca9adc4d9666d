//! Lists to choose from and questions, in a box over the body.

use super::canvas::Canvas;
use super::footer::keys_of_box;
use crate::app::content::{columns, wrap};
use crate::app::{App, Layout, List, Popup, Role, column_entries};
use crate::view::{FieldSpec, format};

/// One line of a box.
struct Entry<'a> {
    text: String,
    role: Role,
    /// The sentence that `text` may have to cut.
    note: &'a str,
}

/// The whole sentence of the entry under the cursor, below the list.
#[derive(Default)]
struct Note {
    lines: Vec<String>,
}

impl Note {
    /// As high as the longest needs, so that the box keeps its size; nothing where no entry is cut.
    fn of(entries: &[Entry<'_>], cursor: usize, width: usize) -> Self {
        if entries.iter().all(|e| columns(&e.text) <= width) {
            return Self::default();
        }
        let height = entries.iter().map(|e| wrap(e.note, width).len()).max().unwrap_or(0);
        let mut lines = entries.get(cursor).map(|e| wrap(e.note, width)).unwrap_or_default();
        lines.resize(height, String::new());
        Self { lines }
    }
}

fn column_list(list: &List) -> Vec<Entry<'static>> {
    let entry = |(spec, shown): (&'static FieldSpec, bool)| {
        let mark = if shown { 'x' } else { ' ' };
        Entry {
            text: format!("[{mark}] {:18} {}", spec.name, spec.doc),
            role: if shown { Role::Text } else { Role::Dim },
            note: spec.doc,
        }
    };
    column_entries(list.table(), list.columns()).into_iter().map(entry).collect()
}

/// Draws the open popup, if any, in a box over the body.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
    let Some(popup) = app.popup() else { return };
    let widest = usize::from(layout.width.saturating_sub(6).min(72));
    let keys = keys_of_box(app);
    match popup {
        Popup::Sort => {}
        Popup::Columns { cursor } => {
            let entries = column_list(app.list());
            let note = Note::of(&entries, *cursor, widest);
            list(canvas, layout, ("Columns", &keys), (&entries, &note), Some(*cursor), widest);
        }
        Popup::Presets { cursor } => {
            let entries: Vec<Entry> = app
                .presets()
                .iter()
                .map(|(name, source)| {
                    let current = name == app.preset();
                    Entry {
                        text: format!("{} {name:22} {source}", if current { '*' } else { ' ' }),
                        role: Role::Text,
                        note: source.as_str(),
                    }
                })
                .collect();
            let note = Note::of(&entries, *cursor, widest);
            list(canvas, layout, ("Judge by", &keys), (&entries, &note), Some(*cursor), widest);
        }
        Popup::Narrow { not, cursor } => {
            let texts: Vec<String> = app.choices().iter().map(|c| c.label(*not)).collect();
            let entry = |text| Entry { text: String::clone(text), role: Role::Text, note: text };
            let entries: Vec<Entry> = texts.iter().map(entry).collect();
            let note = Note::of(&entries, *cursor, widest);
            let title = if *not { "Not this" } else { "Only this" };
            list(canvas, layout, (title, &keys), (&entries, &note), Some(*cursor), widest);
        }
        Popup::Choose { of, cursor } => {
            let entry = |(text, chosen): (String, bool)| {
                let mark = if chosen { 'x' } else { ' ' };
                Entry { text: format!("[{mark}] {text}"), role: Role::Text, note: "" }
            };
            let entries: Vec<Entry> = (of.entries)(app).into_iter().map(entry).collect();
            list(
                canvas,
                layout,
                (of.title, &keys),
                (&entries, &Note::default()),
                Some(*cursor),
                widest,
            );
        }
        Popup::Ask(of) => question(canvas, layout, (of.title, &keys), &(of.text)(app), widest, 60),
        Popup::ConfirmRefresh { usd } => {
            let mut text =
                format!("Reading everything again costs about {}.", format::usd_spent(*usd));
            if let Some(own) = app.own_cost() {
                text = format!(
                    "{text} Today so far {} of {}.",
                    format::usd_spent(own.today_usd()),
                    format::usd(own.cap_usd())
                );
            }
            question(canvas, layout, ("Refresh", &keys), &text, widest, 50);
        }
    }
}

/// A box with a question, its lines at most so many columns wide.
fn question(
    canvas: &mut Canvas<'_>,
    layout: &Layout,
    title: (&str, &str),
    text: &str,
    widest: usize,
    columns: usize,
) {
    let entry = |text| Entry { text, role: Role::Text, note: "" };
    let entries: Vec<Entry> = wrap(text, widest.min(columns)).into_iter().map(entry).collect();
    list(canvas, layout, title, (&entries, &Note::default()), None, widest);
}

/// A box in the middle of the body, with its title and its keys; where there is no room for a border, the lines alone.
fn list(
    canvas: &mut Canvas<'_>,
    layout: &Layout,
    (title, keys): (&str, &str),
    (entries, note): (&[Entry<'_>], &Note),
    cursor: Option<usize>,
    widest: usize,
) {
    let border = layout.body_height >= 4 && layout.width >= 24;
    let frame = if border { 2 } else { 0 };
    // A note that would leave few entries in sight is left out.
    let below = match u16::try_from(note.lines.len()).unwrap_or(u16::MAX) {
        0 => 0,
        lines if layout.body_height >= frame + lines + 5 => lines + 1,
        _ => 0,
    };
    let wanted = u16::try_from(entries.len()).unwrap_or(u16::MAX).saturating_add(frame + below);
    let height = layout.body_height.min(wanted);
    let inner = usize::from(height - (frame + below).min(height));
    let longest = entries.iter().map(|e| columns(&e.text)).max().unwrap_or(0);
    // The keys have a blank at each side.
    let longest = longest.max(columns(keys) + 2).min(widest);
    let width = if border {
        u16::try_from(longest).unwrap_or(u16::MAX).max(16).saturating_add(4).min(layout.width)
    } else {
        layout.width
    };
    let x = (layout.width - width) / 2;
    let y = layout.body_top + (layout.body_height - height) / 2;
    for row in 0..height {
        canvas.blank(x, y + row, width);
    }
    if border {
        outline(canvas, (x, y, width, height), title, keys);
    }
    // The cursor's entry is always in sight.
    let first = cursor.map_or(0, |c| (c + 1).saturating_sub(inner));
    let pad = u16::from(border);
    for (row, (at, entry)) in entries.iter().enumerate().skip(first).take(inner).enumerate() {
        let y = y + pad + u16::try_from(row).unwrap_or(0);
        let style = canvas.style(entry.role);
        let room = width.saturating_sub(4 * pad);
        canvas.put(x + 2 * pad, y, room, &entry.text, style);
        if cursor == Some(at) {
            if border {
                let marker = canvas.glyph("▸", ">");
                let accent = canvas.style(Role::Accent);
                canvas.put(x + pad, y, 1, marker, accent);
            }
            let selected = canvas.style(Role::Selected);
            canvas.tint(x + pad, y, width.saturating_sub(2 * pad), selected);
        }
    }
    if below > 0 {
        let dim = canvas.style(Role::Dim);
        let first = y + height - pad - below + 1;
        for (line, y) in note.lines.iter().zip(first..) {
            canvas.put(x + 2 * pad, y, width.saturating_sub(4 * pad), line, dim);
        }
    }
}

/// Draws a box with a title, and its keys in the lower edge; the area is column, row, width and height.
pub fn outline(
    canvas: &mut Canvas<'_>,
    (x, y, width, height): (u16, u16, u16, u16),
    title: &str,
    keys: &str,
) {
    let style = canvas.style(Role::Dim);
    let (horizontal, vertical) = canvas.glyph(("─", "│"), ("-", "|"));
    let corners = canvas.glyph(["┌", "┐", "└", "┘"], ["+", "+", "+", "+"]);
    let (right, bottom) = (x + width - 1, y + height - 1);
    canvas.fill(x, y, width, horizontal, style);
    canvas.fill(x, bottom, width, horizontal, style);
    for row in y + 1..bottom {
        canvas.fill(x, row, 1, vertical, style);
        canvas.fill(right, row, 1, vertical, style);
    }
    for ((x, y), corner) in
        [(x, y), (right, y), (x, bottom), (right, bottom)].into_iter().zip(corners)
    {
        canvas.fill(x, y, 1, corner, style);
    }
    let heading = canvas.style(Role::Heading);
    canvas.put(x + 2, y, width.saturating_sub(4), &format!(" {title} "), heading);
    if !keys.is_empty() {
        canvas.put(x + 2, bottom, width.saturating_sub(4), &format!(" {keys} "), style);
    }
}
