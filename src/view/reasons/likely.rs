//! Why a box with GPUs likely stands idle or does little, and what helps.

use crate::domain::LikelyReason as R;
use crate::domain::likely::{DataSource, LikelyRemedy, ScarcePlace};
use crate::view::format;

/// One clause: the likely reason with its figures.
pub fn likely(reason: &R) -> String {
    let span = |hours: u32| format::span(i64::from(hours) * 3600);
    let share = |part: f64| format::share(part, 0);
    match reason {
        R::Forgotten { quiet_hours, at_least } => {
            let since = format::at_least(span(*quiet_hours), *at_least);
            format!("forgotten: nobody has used it for {since}")
        }
        R::OfficeHours { share: part, used_hours } => format!(
            "office hours: {} of its {used_hours} used hours are working hours near its region",
            share(*part)
        ),
        R::NightsAndWeekends { share: part, used_hours } => format!(
            "nights and weekends: {} of its {used_hours} used hours are no working hours near its \
             region",
            share(*part)
        ),
        R::Interactive { bursts, hours_per_burst, named } => {
            let named = if *named { ", and it is called so" } else { "" };
            format!(
                "interactive: {} of {hours_per_burst:.1} h in working hours, as of a notebook{named}",
                format::plural(*bursts as usize, "burst")
            )
        }
        R::WaitsForData { waiting_hours, used_hours, gpu_share, on } => {
            let busy = match on {
                DataSource::Network => "its network was busy",
                DataSource::Disk => "its disks were busy",
            };
            format!(
                "waiting for data: in {waiting_hours} of {used_hours} used hours its GPUs were {} \
                 active while {busy}",
                share(*gpu_share)
            )
        }
        R::KeptForPlace { place, quiet_hours } => {
            let place = match place {
                ScarcePlace::Reservation(id) => format!("it runs in the capacity reservation {id}"),
                ScarcePlace::Type(name) => format!("{name} is hard to get back"),
            };
            format!("kept for its place: {} without use, and {place}", span(*quiet_hours))
        }
        R::NeedsQueue { bursts, paused_hours, of_hours } => format!(
            "waiting for work: {} at any hour, with {paused_hours} of {of_hours} h between them",
            format::plural(*bursts as usize, "burst")
        ),
    }
}

/// One clause: what helps against a likely reason.
pub fn likely_remedy(remedy: LikelyRemedy) -> &'static str {
    match remedy {
        LikelyRemedy::Stop => "stop it",
        LikelyRemedy::Schedule => "run it by a schedule (`burntop policy schedule`)",
        LikelyRemedy::PrefetchAndCache => "prefetch the data, and cache it near the GPUs",
        LikelyRemedy::AutoStop => "a notebook that stops by itself, or a serverless one",
        LikelyRemedy::CheckpointAndQueue => "checkpoints, and Spot with a queue",
        LikelyRemedy::Queue => "Spot with a queue",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_say_their_figures() {
        for (reason, words) in [
            (
                R::Forgotten { quiet_hours: 168, at_least: true },
                "forgotten: nobody has used it for at least 7d",
            ),
            (
                R::OfficeHours { share: 0.97, used_hours: 45 },
                "office hours: 97% of its 45 used hours are working hours near its region",
            ),
            (
                R::Interactive { bursts: 12, hours_per_burst: 1.5, named: true },
                "interactive: 12 bursts of 1.5 h in working hours, as of a notebook, and it is called so",
            ),
            (
                R::WaitsForData {
                    waiting_hours: 90,
                    used_hours: 100,
                    gpu_share: 0.18,
                    on: DataSource::Network,
                },
                "waiting for data: in 90 of 100 used hours its GPUs were 18% active while its network was \
                 busy",
            ),
            (
                R::KeptForPlace { place: ScarcePlace::Reservation("cr-1".into()), quiet_hours: 48 },
                "kept for its place: 2d without use, and it runs in the capacity reservation cr-1",
            ),
            (
                R::NeedsQueue { bursts: 9, paused_hours: 80, of_hours: 150 },
                "waiting for work: 9 bursts at any hour, with 80 of 150 h between them",
            ),
        ] {
            assert_eq!(likely(&reason), words);
        }
    }
}
