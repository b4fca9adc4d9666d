//! A cockpit over storage, for tests.

use std::sync::Arc;

use crate::app::fixture::{self, press};
use crate::app::{App, AppInit, Msg};
use crate::fleet::StorageFleet;
use crate::tabs::gpus::picture::fixture::hosts;
use crate::tabs::storage::picture::fixture::fleet;
use crate::view::fixture::now;

/// What a cockpit over storage starts with.
pub fn init(size: (u16, u16)) -> AppInit {
    AppInit { now: now(), ..fixture::init(None, size) }
}

/// A cockpit of `init` that has heard of the storage in `fleet`.
pub fn heard(init: AppInit, fleet: StorageFleet) -> App {
    let mut app = App::new(init);
    app.update(Msg::Fleet(Arc::new(hosts())));
    app.update(Msg::OwnCost(fixture::own_cost()));
    app.update(Msg::Storage(Arc::new(fleet)));
    app
}

/// A cockpit over storage of every kind.
pub fn app(size: (u16, u16)) -> App {
    heard(init(size), fleet())
}

/// The same, after keys.
pub fn after(size: (u16, u16), keys: &str) -> App {
    let mut app = app(size);
    press(&mut app, keys);
    app
}
