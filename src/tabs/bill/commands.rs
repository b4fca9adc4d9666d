//! Commands of the Bill tab.

use super::lists::BillList;
use crate::app::command::{Command, CommandSpec, Words};
use crate::tabs::bill::state::{keys_of, period_of};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "bill",
        aliases: &[],
        usage: "[{}]",
        doc: "The bill by a key, or by two with a comma between them; its anatomy; what changed; anomalies; its days beside live burn.",
        words: Words::Each(|app| {
            let lists = BillList::ALL.into_iter().skip(1).map(|list| list.word().to_owned());
            lists.chain(app.bill_key_names()).collect()
        }),
        build: |words, rest, _| {
            let list = BillList::ALL.into_iter().find(|list| words == [list.word()]);
            if let Some(list) = list.or(words.is_empty().then_some(BillList::Breakdown)) {
                return Ok(Command::own(move |app| {
                    app.go_to_bill(list);
                    Vec::new()
                }));
            }
            let keys = keys_of(rest)?;
            Ok(Command::own(move |app| {
                app.go_to_bill(BillList::Breakdown);
                app.break_down_by(keys.clone());
                Vec::new()
            }))
        },
    },
    CommandSpec {
        name: "period",
        aliases: &["month"],
        usage: "YYYY-MM",
        doc: "The bill of this month.",
        words: Words::Each(|app| app.bill_periods().iter().map(ToString::to_string).collect()),
        build: |words, _, _| {
            let [word] = words else { return Err("which month? as in 2026-10".to_owned()) };
            let period = period_of(word)?;
            Ok(Command::own(move |app| {
                app.go_to_period(period);
                Vec::new()
            }))
        },
    },
];
