//! A cockpit over what could be saved, for tests.

use std::sync::Arc;

use crate::app::fixture::{self, press};
use crate::app::{App, AppInit, Msg};
use crate::fleet::Savings;
use crate::tabs::gpus::picture::fixture::hosts;
use crate::tabs::savings::picture::fixture::savings;
use crate::view::fixture::now;

/// What a cockpit starts with.
pub fn init(size: (u16, u16)) -> AppInit {
    AppInit { now: now(), ..fixture::init(None, size) }
}

/// A cockpit of `init` that has heard of `savings`.
pub fn heard(init: AppInit, savings: Savings) -> App {
    let mut app = App::new(init);
    app.update(Msg::Fleet(Arc::new(hosts())));
    app.update(Msg::OwnCost(fixture::own_cost()));
    app.update(Msg::Savings(Arc::new(savings)));
    app
}

/// A cockpit over savings of every kind.
pub fn app(size: (u16, u16)) -> App {
    heard(init(size), savings())
}

/// The same, after keys.
pub fn after(size: (u16, u16), keys: &str) -> App {
    let mut app = app(size);
    press(&mut app, keys);
    app
}
