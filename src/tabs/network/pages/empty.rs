//! Text in place of a list without a row: how to get a bill, or why there is nothing.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::bill::pages::ways_to_a_bill;
use crate::tabs::network::lists::NetworkList;
use crate::tabs::storage::pages::parts::paragraph;

/// Lines shown in place of a list without rows.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let tab = app.network_tab();
    if tab.look() == NetworkList::Live {
        let mut lines = super::strip(app, width);
        let text = match app.savings() {
            Some(_) => tab.look().spec().empty,
            None => "Nothing of the account is read yet.",
        };
        paragraph(Role::Text, text, width, &mut lines);
        return lines;
    }
    if let Some(why) = tab.trouble() {
        let mut lines = vec![Line::of(Role::Heading, "The bill cannot be read")];
        paragraph(Role::Crit, why, width, &mut lines);
        return lines;
    }
    let Some(network) = app.network() else {
        return vec![Line::of(Role::Dim, "Reading the bills.")];
    };
    if network.period.is_none() {
        let what = "Where bytes go and what that costs, by path, a bill tells: internet, between regions and zones, NAT \
                    gateways, endpoints, requests; with what would avoid it, and the price of that.";
        return ways_to_a_bill(what, width);
    }
    let mut lines = super::strip(app, width);
    let text = if tab.is_behind() { "Reading." } else { tab.look().spec().empty };
    paragraph(Role::Text, text, width, &mut lines);
    lines
}
