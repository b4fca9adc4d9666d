//! A look at the inventory after something was changed.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;

use super::super::{Event, start};
use super::scripted::{Answer, Script, Scripted, instance, parts};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{InstanceState, SourceId, SourceState};
use crate::fleet::Fleet;

const NOW: &str = "2026-11-21T03:07:00Z";

/// Waits for a fleet of which this holds.
async fn until(inbox: &mut Receiver<Event>, is: impl Fn(&Fleet) -> bool) {
    let seen = async {
        while let Some(event) = inbox.recv().await {
            if let Event::Fleet(fleet) = event
                && is(&fleet)
            {
                return true;
            }
        }
        false
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), seen).await.unwrap());
}

#[tokio::test]
async fn what_was_stopped_shows_at_once_and_nothing_billed_is_read_for_it() {
    let cache = Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap()).0;
    let mut script = Script::new(vec![instance("i-1", "c5.large")], Answer::Every(0.0));
    let provider = Scripted::new(script.clone());
    let mut parts = parts(&provider, NOW, Preset::Cautious, &cache, false);
    // By itself nobody would look again within the test.
    parts.settings.inventory_every_s = 3_600;
    let (events, mut inbox) = tokio::sync::mpsc::channel(64);
    let handle = start(parts, events);
    until(&mut inbox, |fleet| {
        let live = |source| {
            fleet.readings.iter().any(|r| r.source == source && r.state == SourceState::Live)
        };
        live(SourceId::Ec2) && live(SourceId::CloudWatch)
    })
    .await;
    let (listed, asked) = (&provider.listed, &provider.asked);
    let before = (listed.load(Ordering::Relaxed), asked.lock().unwrap().len());
    assert!(before.1 > 0, "metrics were read once");

    script.instances[0].state = InstanceState::Stopped;
    provider.play(script);
    handle.look_again();
    until(&mut inbox, |fleet| {
        fleet.rows.iter().any(|r| r.instance.state == InstanceState::Stopped)
    })
    .await;
    assert!(listed.load(Ordering::Relaxed) > before.0);
    assert_eq!(asked.lock().unwrap().len(), before.1, "metrics were read because of it");
    handle.stop();
}
