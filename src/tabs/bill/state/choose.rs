//! The box in which keys are chosen.

use crate::analyze::bill::{BillKey, KEYS_AT_MOST};
use crate::app::{Action, App, Chooser, Popup};
use crate::view::format;

/// By what the bill is broken down.
pub(super) static CHOOSE_KEYS: Chooser = Chooser {
    title: "Break down by",
    entries: |app| {
        let chosen = &app.tabs.bill.way.here.keys;
        let entry = |key: &BillKey| (key.name(), chosen.contains(key));
        app.bill_keys().iter().map(entry).collect()
    },
    hints: &[
        (Action::Enter, "by this alone"),
        (Action::ToggleColumn, "add/remove"),
        (Action::Back, "done"),
    ],
    toggle: |app, at| {
        app.toggle_bill_key(at);
        Vec::new()
    },
    take: |app, at| {
        if let Some(key) = app.bill_keys().get(at).cloned()
            && !app.tabs.bill.way.here.keys.contains(&key)
        {
            app.break_down_by(vec![key]);
        }
        Vec::new()
    },
};

impl App {
    /// Opens the box, the cursor on the first chosen key.
    pub(super) fn choose_bill_keys(&mut self) {
        let chosen = &self.tabs.bill.way.here.keys;
        let cursor = self.bill_keys().iter().position(|key| chosen.contains(key)).unwrap_or(0);
        if !self.bill_keys().is_empty() {
            self.popup = Some(Popup::Choose { of: &CHOOSE_KEYS, cursor });
        }
    }

    /// Adds a key, or takes it away; the last one stays, and a third replaces the first.
    fn toggle_bill_key(&mut self, at: usize) {
        let Some(key) = self.bill_keys().get(at).cloned() else { return };
        let mut keys = self.tabs.bill.way.here.keys.clone();
        match keys.iter().position(|chosen| *chosen == key) {
            Some(_) if keys.len() == 1 => return,
            Some(chosen) => drop(keys.remove(chosen)),
            None => {
                keys.push(key);
                if keys.len() > KEYS_AT_MOST {
                    keys.remove(0);
                }
            }
        }
        self.break_down_by(keys);
    }

    /// Breaks the bill, or the row that was gone into, down by these keys.
    pub(crate) fn break_down_by(&mut self, keys: Vec<BillKey>) {
        let way = &mut self.tabs.bill.way;
        way.here.keys = keys;
        if !way.look.has_keys() {
            way.look = super::BillList::Breakdown;
        }
    }
}

/// Keys with commas or blanks between them, one or two. Fails with the reason for any other text.
pub(crate) fn keys_of(text: &str) -> Result<Vec<BillKey>, String> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let keys = words.map(|word| BillKey::parse(word).map_err(|error| error.to_string()));
    let keys: Vec<BillKey> = keys.collect::<Result<_, _>>()?;
    if keys.len() > KEYS_AT_MOST {
        return Err(format!("at most {} at once", format::plural(KEYS_AT_MOST, "key")));
    }
    Ok(keys)
}
