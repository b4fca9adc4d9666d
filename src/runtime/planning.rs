//! What the planning tab asks for beside values: demands, kept scenarios, files.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::Running;
use crate::app::{DemandFrom, Level, Msg, Notice};
use crate::cli::invocation::Invocation;
use crate::cli::past;
use crate::cli::whatif::{Store, begin, demand_of_file, us_east_1_price};
use crate::domain::PrivatePrices;
use crate::whatif::{Demand, Scenario, Slot};

/// Tells the screen.
#[derive(Clone)]
struct Teller {
    messages: mpsc::Sender<Msg>,
    store: Option<Store>,
}

impl Teller {
    async fn send(&self, msg: Msg) {
        // The screen may be gone already; there is nobody left to tell.
        let _ = self.messages.send(msg).await;
    }

    async fn say(&self, level: Level, text: impl Into<String>) {
        self.send(Msg::Notice(Notice::new(level, text))).await;
    }

    /// Does something with the folder of kept scenarios, and lists them anew.
    async fn stored<R: Send + 'static>(
        &self,
        what: impl FnOnce(&Store) -> Result<R, String> + Send + 'static,
    ) -> Option<R> {
        let Some(store) = self.store.clone() else {
            self.say(Level::Error, "there is no home directory to keep scenarios in").await;
            return None;
        };
        let done = tokio::task::spawn_blocking(move || {
            let done = what(&store);
            (done, store.names())
        });
        let (done, names) = done.await.ok()?;
        self.send(Msg::Scenarios(names)).await;
        match done {
            Ok(found) => Some(found),
            Err(why) => {
                self.say(Level::Error, why).await;
                None
            }
        }
    }
}

impl Running {
    fn teller(&self) -> Teller {
        let store = self.invocation.paths.as_ref().map(Store::of);
        Teller { messages: self.messages.clone(), store }
    }

    /// Reads a demand on a task of its own, with the scenario that a plan for it begins with.
    pub(super) fn read_demand(&self, from: DemandFrom) {
        let (teller, invocation) = (self.teller(), self.invocation.clone());
        let cache = self.cache.clone();
        tokio::spawn(async move {
            // What the lists show is known before there is anything to plan for.
            teller.stored(|_| Ok(())).await;
            let found = match from {
                DemandFrom::History => match past::demand(&invocation, &cache).await {
                    Some((demand, prices)) => {
                        let scenario = begin(&demand, &|name| prices.of_type(name));
                        Ok((demand, scenario))
                    }
                    None => {
                        Err("burntop has not yet seen a whole hour of the fleet: let it run, or \
                                 give a CSV file"
                            .to_owned())
                    }
                },
                DemandFrom::File(path) => of_file(path, past::private_prices(&invocation)).await,
            };
            teller
                .send(match found {
                    Ok((demand, scenario)) => {
                        Msg::Demand { demand: Arc::new(demand), scenario: Arc::new(scenario) }
                    }
                    Err(why) => Msg::NoDemand(why),
                })
                .await;
        });
    }

    /// Saves a scenario; in place of one that is kept under its name only where it `replaces` it.
    pub(super) fn save_scenario(&self, scenario: Arc<Scenario>, replaces: bool) {
        let teller = self.teller();
        tokio::spawn(async move {
            let name = scenario.name.clone();
            let save = move |store: &Store| {
                let saved = if replaces { store.replace(&scenario) } else { store.save(&scenario) };
                saved.map_err(|e| e.to_string())
            };
            if teller.stored(save).await.is_some() {
                let done = if replaces { "replaced" } else { "kept" };
                teller.say(Level::Info, format!("{done} scenario {name}")).await;
            }
        });
    }

    pub(super) fn load_scenario(&self, name: String, slot: Slot) {
        let teller = self.teller();
        tokio::spawn(async move {
            let load = move |store: &Store| store.load(&name).map_err(|e| e.to_string());
            if let Some(scenario) = teller.stored(load).await {
                teller.send(Msg::Scenario { slot, scenario: Arc::new(scenario) }).await;
            }
        });
    }

    pub(super) fn rename_scenario(&self, from: String, to: String) {
        let teller = self.teller();
        tokio::spawn(async move {
            let said = format!("{from} is {to} now");
            let rename = move |store: &Store| match store.rename(&from, &to) {
                Ok(()) => Ok(true),
                Err(crate::cli::whatif::StoreError::Absent(_)) => Ok(false),
                Err(error) => Err(error.to_string()),
            };
            if teller.stored(rename).await == Some(true) {
                teller.say(Level::Info, said).await;
            }
        });
    }
}

/// A demand from a file, with what a plan for it begins with.
async fn of_file(path: String, private: PrivatePrices) -> Result<(Demand, Scenario), String> {
    let read = tokio::task::spawn_blocking(move || demand_of_file(Path::new(&path)));
    let demand = match read.await {
        Ok(found) => found.map_err(|e| e.to_string())?,
        Err(_) => return Err("the file could not be read: an error of burntop's own".to_owned()),
    };
    let scenario = begin(&demand, &|name| us_east_1_price(&private, name));
    Ok((demand, scenario))
}

/// Demand named on the command line, for the first screen; `None` where none was named.
pub(super) fn asked(invocation: &Invocation) -> Option<DemandFrom> {
    let path = invocation.options.demand.as_ref()?;
    Some(DemandFrom::File(path.display().to_string()))
}
