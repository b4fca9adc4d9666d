//! A cockpit over GPUs, for tests.

use std::sync::Arc;

use crate::app::fixture::{self, press};
use crate::app::{App, AppInit, Effect, Msg};
use crate::fleet::gpu::GpuFleet;
use crate::tabs::gpus::picture::fixture::{gpus, history, hosts};
use crate::view::fixture::now;

/// What a cockpit over GPUs starts with.
pub fn init(size: (u16, u16)) -> AppInit {
    AppInit { now: now(), ..fixture::init(None, size) }
}

/// A cockpit of `init` that has heard of the GPUs in `gpus`.
pub fn heard(init: AppInit, gpus: GpuFleet) -> App {
    let mut app = App::new(init);
    app.update(Msg::Fleet(Arc::new(hosts())));
    app.update(Msg::OwnCost(fixture::own_cost()));
    app.update(Msg::Gpus(Arc::new(gpus)));
    app
}

/// A cockpit over every kind of GPU.
pub fn app(size: (u16, u16)) -> App {
    heard(init(size), gpus())
}

/// Presses keys and answers what is asked for, as an executor would.
pub fn go(app: &mut App, keys: &str) -> Vec<Effect> {
    let effects = press(app, keys);
    for effect in &effects {
        if let Effect::LoadGpuHistory { key } = effect {
            app.update(Msg::GpuHistory { key: key.clone(), history: Arc::new(history()) });
        }
    }
    effects
}
