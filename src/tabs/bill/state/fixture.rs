//! A cockpit over bills, for tests.

use std::sync::Arc;

use crate::analyze::bill::reconcile::LiveBurn;
use crate::analyze::bill::{BillSettings, Measured, MeasuredShare};
use crate::app::fixture::press;
use crate::app::{App, AppInit, BillsAnswer, BillsQuestion, Effect, Msg};
use crate::domain::bill::Bill;
use crate::domain::burn::BurnSeen;
use crate::domain::{BurnDay, Burnt, Scope, TagKeys};
use crate::tabs::bill::picture::{BillBooks, fixture};
use crate::tabs::network::picture::NetworkPicture;
use crate::tabs::storage::state::fixture::init;
use crate::tabs::teams::state::fixture as teams;

/// Live burn of the last week of one account: that of its p5.
fn seen() -> (Vec<BurnDay>, Vec<Scope>) {
    let account: Arc<str> = "111122223333".into();
    let day = |back: i32| {
        let of = 14 - back;
        let rests = matches!(of % 7, 0 | 6);
        let usd = if rests { 0.0 } else { 1_651.2 + 0.1 * f64::from(of) };
        let instances = if rests { 0.0 } else { 24.0 };
        let burnt = Burnt { usd, instances, ..Burnt::default() };
        let teams = vec![(None, burnt)];
        let seen = BurnSeen { for_ms: 24 * 3_600_000, until_ms: 0, teams };
        // 20,467 is 2026-01-14.
        BurnDay { day: 20_467 - back, account: account.clone(), seen }
    };
    ((0..7).map(day).collect(), vec![Scope::new(&*account, "us-east-1")])
}

/// Answers what a cockpit asked of bills, as the thread behind the screen does.
pub fn answer(app: &mut App, effects: &[Effect], bills: &[Arc<Bill>]) {
    let settings = BillSettings::new(&TagKeys::default(), Vec::new(), Vec::new());
    let shares = [("i-0a", 0.8, 0.2), ("i-0b", 0.0, 1.0), ("train-7", 1.0, 0.0)];
    let share = |(id, productive, wasted): (&str, f64, f64)| {
        (Arc::from(id), MeasuredShare { productive, wasted })
    };
    let measured: Measured = shares.into_iter().map(share).collect();
    let heads: Vec<_> = bills.iter().map(|bill| bill.head.clone()).collect();
    let (days, scopes) = seen();
    let live = LiveBurn { days: &days, scopes: &scopes, is_discounted: false };
    let books = BillBooks { heads: &heads, bills, settings: &settings, measured: &measured, live };
    for effect in effects {
        if let Effect::ReadBills(question) = effect {
            let more = app.update(Msg::Bills(match question.clone() {
                BillsQuestion::Bill(question) => {
                    let answer = books.answer(&question, None).map(Arc::new);
                    BillsAnswer::Bill(question, answer)
                }
                BillsQuestion::Network(question) => {
                    let answer = Ok(Arc::new(NetworkPicture::of(&books, question)));
                    BillsAnswer::Network(question, answer)
                }
                BillsQuestion::Teams(question) => {
                    let told = teams::told(&books, app.shown(), question);
                    BillsAnswer::Teams(question, Ok(Arc::new(told)))
                }
            }));
            assert_eq!(more, [], "an answer asks nothing");
        }
    }
}

/// Presses keys, each answered before the next.
pub fn go(app: &mut App, keys: &[&str]) {
    let bills = fixture::bills();
    for keys in keys {
        let effects = press(app, keys);
        answer(app, &effects, &bills);
        app.prepare();
    }
}

/// A cockpit of `init` on the Bill tab, over three months of bills.
pub fn on_bill(init: AppInit) -> App {
    let mut app = App::new(init);
    go(&mut app, &["8"]);
    app
}

/// The same, of a size.
pub fn app(size: (u16, u16)) -> App {
    on_bill(init(size))
}
