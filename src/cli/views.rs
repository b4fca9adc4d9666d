//! Saved views between the screen's form and the configuration's.

use crate::app;
use crate::config;

/// The list of a view that names none.
const IDLE: &str = "idle";

/// Converts a saved view of the configuration for the screen.
pub fn to_screen(name: &str, view: &config::SavedView) -> app::SavedView {
    let sort = view.sort.clone().unwrap_or_default();
    let (reversed, field) = match sort.strip_prefix('-') {
        Some(field) => (true, field),
        None => (false, &*sort),
    };
    let list = view.tab.clone().unwrap_or_else(|| IDLE.to_owned());
    let natural = is_descending_first(&list, field);
    app::SavedView {
        name: name.to_owned(),
        list,
        group: view.group.clone().unwrap_or_default(),
        filter: view.filter.clone().unwrap_or_default(),
        sort: field.to_owned(),
        descending: natural != reversed,
        columns: view.columns.clone().unwrap_or_default(),
    }
}

/// Converts a saved view of the screen for the configuration.
pub fn to_config(view: &app::SavedView) -> config::SavedView {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let natural = is_descending_first(&view.list, &view.sort);
    let sign = if view.descending == natural { "" } else { "-" };
    config::SavedView {
        tab: some(&view.list).filter(|list| list != IDLE),
        group: some(&view.group),
        filter: some(&view.filter),
        sort: some(&view.sort).map(|field| format!("{sign}{field}")),
        columns: (!view.columns.is_empty()).then(|| view.columns.clone()),
    }
}

/// True for a field whose largest values come first.
fn is_descending_first(list: &str, field: &str) -> bool {
    let field = app::list_of(list).and_then(|list| (list.fields)().find(field));
    field.is_some_and(|f| f.descending_first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_survives_the_way_there_and_back() {
        let words = crate::cli::words::vocabulary();
        for list in app::lists() {
            let fields = (list.fields)().fields().iter().map(|field| field.name);
            let groups = list.grouping.map(|grouping| (grouping.names)()).unwrap_or_default();
            let group = groups.last().copied().unwrap_or_default();
            for (sort, descending) in
                fields.flat_map(|f| [(f, true), (f, false)]).chain([("", false)])
            {
                let view = app::SavedView {
                    name: "mine".into(),
                    list: list.name.into(),
                    group: group.into(),
                    filter: "x".into(),
                    sort: sort.into(),
                    descending,
                    columns: vec![(list.fields)().fields()[0].name.into()],
                };
                let kept = to_config(&view);
                assert_eq!(config::validate::view_problems(&kept, &words), []);
                assert_eq!(to_screen("mine", &kept), view, "{sort} {descending}");
            }
        }
    }
}
