//! Saved views between the screen's form and the configuration's.

use crate::app;
use crate::config::{self, ViewTab};
use crate::tabs::gpus::picture::{GpuField, GpuGrouping};
use crate::tabs::idle::picture::Field;
use crate::view::TableField;

/// A view of the configuration, as the screen takes it.
pub fn to_screen(name: &str, view: &config::SavedView) -> app::SavedView {
    let sort = view.sort.clone().unwrap_or_default();
    let (reversed, field) = match sort.strip_prefix('-') {
        Some(field) => (true, field),
        None => (false, &*sort),
    };
    // Without a known group, as the tab begins.
    let grouping = view.group.as_deref().and_then(GpuGrouping::from_name).unwrap_or_default();
    let gpus = (view.tab == Some(ViewTab::Gpus)).then_some(grouping);
    let natural = is_descending_first(gpus.is_some(), field);
    app::SavedView {
        name: name.to_owned(),
        gpus,
        filter: view.filter.clone().unwrap_or_default(),
        sort: field.to_owned(),
        descending: natural != reversed,
        columns: view.columns.clone().unwrap_or_default(),
    }
}

/// A view of the screen, as the configuration keeps it.
pub fn to_config(view: &app::SavedView) -> config::SavedView {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let natural = is_descending_first(view.gpus.is_some(), &view.sort);
    let sign = if view.descending == natural { "" } else { "-" };
    config::SavedView {
        tab: view.gpus.map(|_| ViewTab::Gpus),
        group: view.gpus.map(|grouping| grouping.name().to_owned()),
        filter: some(&view.filter),
        sort: some(&view.sort).map(|field| format!("{sign}{field}")),
        columns: (!view.columns.is_empty()).then(|| view.columns.clone()),
    }
}

/// True for a field whose largest values come first.
fn is_descending_first(of_gpus: bool, field: &str) -> bool {
    let table = if of_gpus { GpuField::table() } else { Field::table() };
    table.find(field).is_some_and(|f| f.descending_first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_survives_the_way_there_and_back() {
        for (sort, descending) in [
            ("", false),
            ("name", false),
            ("name", true),
            ("usd_per_hour", true),
            ("usd_per_hour", false),
        ] {
            for gpus in [None, Some(GpuGrouping::Team)] {
                let view = app::SavedView {
                    name: "mine".into(),
                    gpus,
                    filter: "gpu<5".into(),
                    sort: sort.into(),
                    descending,
                    columns: vec!["name".into()],
                };
                let back = to_screen("mine", &to_config(&view));
                assert_eq!(back, view, "{sort} {descending}");
            }
        }
    }
}
