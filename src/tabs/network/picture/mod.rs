//! View models of the network: the table of paths, shared by screen, reports and filter; what the bills answer to a question
//! of the tab; the calculator of What-if filled from paths.

mod answer;
mod cache;
mod calculator;
#[cfg(test)]
pub(crate) mod fixture;
mod live;
mod sums;

use std::sync::Arc;

use crate::analyze::network::live::command;
use crate::analyze::network::{
    Confidence, Fix, NetworkPath, NetworkPaths, NetworkRow, Purpose, Remedy,
};
use crate::domain::bill::Usd;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format, reasons};
pub use answer::{NetworkPicture, NetworkQuestion};
pub use cache::{CacheField, CacheItem, cache_items};
pub use calculator::{Calculator, calculator, to_a_month};
pub use live::LivePaths;
pub use sums::NetworkSums;

/// A path of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkItem {
    /// What it is of, in words; unique among the rows of a list.
    pub id: Arc<str>,
    /// Its fix in a sentence; empty without one.
    pub why: String,
    /// The command that carries the fix out, of a live path; `None` where there is none in one command.
    pub command: Option<String>,
    /// The path.
    pub of: NetworkRow,
}

/// Rows of paths, in their order.
pub fn network_rows(of: NetworkPaths) -> Arc<[Arc<NetworkItem>]> {
    let row = |of: NetworkRow| {
        let key = &of.key;
        let words = [&key.from, &key.to, &key.account, &key.service, &key.resource];
        let words: Vec<&str> = words.into_iter().map(|w| w.as_deref().unwrap_or("–")).collect();
        let id = format!("{} {} {}", key.path.word(), words.join(" "), key.purpose.word());
        let why = match &of.live {
            Some(live) => reasons::network_live(live),
            None => of.fix.as_ref().map(reasons::network_fix).unwrap_or_default(),
        };
        let command = of.live.as_ref().and_then(|live| command(live));
        Arc::new(NetworkItem { id: id.into(), why, command, of })
    };
    of.rows.into_iter().map(row).collect()
}

/// Where a row comes from.
const SOURCES: [&str; 2] = ["bill", "live"];

field_table! {
    /// A field of a path.
    pub enum NetworkField => FIELDS {
        Path choice(NetworkPath::WORDS) "path" [] "PATH" 12 key by('p') "The path that the bill charges.";
        From text "from" [] "FROM" 9 wide by('f')
            "Where the bytes come from: a region, internet, or a code as the bill has it.";
        To text "to" [] "TO" 9 wide by('t') "Where they go to; none where the bill does not say it.";
        Account text "account" [] "ACCOUNT" 12 by('a') "Account that is billed.";
        Resource text "resource" [] "RESOURCE" 10 key wide by('r') "Bucket, gateway, endpoint or instance.";
        Bytes number(Bytes) "bytes" ["size"] "BYTES" 8 by('b')
            "Bytes, each once, though sender and receiver are billed for it; none where no line counts them.";
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd"] "$/MONTH" 11 unit("$") by('m')
            "Effective cost in the period of the bill, of a month that goes on what it cost so far; live a month of 730 h.";
        Avoidable number(Usd) "avoidable_usd_per_month" ["avoidable"] "AVOIDABLE" 11 unit("$") by('v')
            "What the fix avoids, after its own price; none without a fix, and where the bill does not tell how much.";
        Fix choice(Remedy::WORDS) "fix" [] "FIX" 10 wide by('x') "What avoids it.";
        Confidence choice(Confidence::WORDS) "confidence" [] "CONFIDENCE" 10 by('c')
            "high = usage type and resource tell it; up_to = the avoidable part is a bound; low = nothing tells the path for certain.";
        Service text "service" [] "SERVICE" 24 wide by('s') "Name of the service that is billed.";
        Purpose choice(Purpose::WORDS) "purpose" [] "PURPOSE" 11
            "read = objects that are read, replication = copies by replication rules, other = all else.";
        Hours number(Count) "hours" [] "HOURS" 8 by('h') "Hours billed, as of gateways and endpoints.";
        Requests number(Count) "requests" [] "REQUESTS" 12 by('q') "Requests billed; of a metric stream metric updates.";
        UsdPerGb number(Usd) "usd_per_gb" ["rate"] "$/GB" 8 unit("$/GB") by('g')
            "What a GB cost, at the steps of the price that applied; of both sides where both pay.";
        Trend number(Percent) "trend" [] "TREND" 6 by('d')
            "Change of the cost of a day against the month before; none where it cost nothing then.";
        FixUsd number(Usd) "fix_usd_per_month" [] "FIX $/MO" 10 unit("$")
            "What the fix costs each month by itself; none where not known.";
        FixUsdOnce number(Usd) "fix_usd_once" [] "FIX ONCE" 10 unit("$")
            "What the fix costs once; none where not known.";
        PayBack number(Count) "pay_back_months" [] "PAYS BACK" 9 unit("months")
            "Months until what the fix costs once is paid back.";
        PaysFrom number(Bytes) "pays_from_bytes" [] "PAYS FROM" 9
            "Bytes a month from which the fix is cheaper.";
        Why text "why" [] "WHY" 40 wide "The fix in a sentence.";
        Source choice(SOURCES) "source" [] "SOURCE" 6
            "bill = of a bill, exact; live = read of the account, an estimate at list prices.";
        Command text "command" [] "COMMAND" 40 wide
            "The command that carries the fix out, to copy; live paths alone have one.";
        AtMost number(Usd) "usd_per_month_at_most" ["at_most"] "AT MOST" 11 unit("$")
            "What the bytes cost at most where nothing tells their way, as of those that the fleet sends: the range begins at $0. In no total.";
    }
}

use NetworkField as F;

impl NetworkField {
    /// Default columns of the list of fixes.
    pub const FIX_COLUMNS: &'static [Self] = &[
        F::Fix,
        F::Avoidable,
        F::Path,
        F::Resource,
        F::From,
        F::FixUsd,
        F::FixUsdOnce,
        F::PayBack,
        F::Confidence,
        F::Why,
    ];
}

fn exact(amount: Option<Usd>) -> Value<'static> {
    amount.map_or(Value::Unknown, Value::Usd)
}

impl TableField for NetworkField {
    type Row = NetworkItem;

    const NOUNS: [&'static str; 2] = ["path", "paths"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Path, F::From, F::To, F::Resource, F::Bytes, F::UsdPerMonth, F::Avoidable, F::Fix];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Why, F::FixUsdOnce, F::PayBack, F::FixUsd, F::Confidence, F::Bytes, F::To];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a NetworkItem, _: &ViewContext) -> Value<'a> {
        let (of, key) = (&row.of, &row.of.key);
        let fix = of.fix.as_ref();
        match self {
            F::Path => Value::text(key.path.word()),
            F::From => Value::maybe(key.from.as_deref()),
            F::To => Value::maybe(key.to.as_deref()),
            F::Account => Value::maybe(key.account.as_deref()),
            F::Resource => Value::maybe(key.resource.as_deref()),
            F::Bytes => Value::number(of.bytes.map(f64::round)),
            F::UsdPerMonth => exact(of.known_usd()),
            F::Avoidable => exact(of.avoidable()),
            F::Fix => Value::maybe(fix.map(|fix| fix.remedy.word())),
            F::Confidence => Value::text(of.confidence().word()),
            F::Service => Value::maybe(key.service.as_deref()),
            F::Purpose => Value::text(key.purpose.word()),
            F::Hours => Value::number(of.hours),
            F::Requests => Value::number(of.requests),
            F::UsdPerGb => Value::number(of.usd_per_gb()),
            F::Trend => Value::number(of.trend.map(|trend| trend * 100.0)),
            F::FixUsd => exact(fix.and_then(|fix| fix.own_usd)),
            F::FixUsdOnce => exact(fix.and_then(|fix| fix.once_usd)),
            F::PayBack => Value::number(fix.and_then(Fix::pay_back_months)),
            F::PaysFrom => match fix.map(|fix| fix.remedy) {
                Some(Remedy::InterfaceEndpoint { pays_from_bytes }) => {
                    Value::number(Some(pays_from_bytes.ceil()))
                }
                _ => Value::Unknown,
            },
            F::Why => Value::text(&row.why),
            F::Source => Value::text(SOURCES[usize::from(of.live.is_some())]),
            F::Command => Value::maybe(row.command.as_deref()),
            F::AtMost => Value::number(of.live.as_ref().and_then(|live| live.at_most_usd)),
        }
    }

    fn cell(self, row: &NetworkItem, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            (F::Bytes | F::PaysFrom, Value::Number(bytes)) => format::bytes_binary(bytes),
            // Requests of a bucket often cost less than a cent.
            (_, Value::Usd(usd)) => format::usd_spent(usd.to_f64()),
            (F::UsdPerGb, Value::Number(usd)) => format::usd_rate(usd),
            (F::PayBack, Value::Number(months)) => format::trimmed(months, 1),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &NetworkItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &NetworkItem) -> Option<f64> {
        None
    }

    fn any_text(row: &NetworkItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || holds(&row.why)
    }
}
