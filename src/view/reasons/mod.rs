//! The words of what engines conclude. An engine gives a reason as a type with its values, so that a
//! test can ask for it and a screen, a report and an alert can each say it in their way; the
//! sentences stand here, one file per engine.

mod backtest;
mod bill;
mod blind;
mod blocked;
mod cache;
mod commitment;
mod figures;
mod gpu;
mod guide;
mod held;
mod instance;
mod jobs;
mod likely;
mod list;
mod model;
mod net;
mod network;
mod replay;
mod resource;
mod scaling;
mod schedule;
mod size;
mod spot;
mod storage;
mod teams;
mod unchecked;
mod verdict;
mod waterfall;
mod words;

pub use backtest::looked_so;
pub use bill::{anomaly as bill_anomaly, cause as bill_cause, note as bill_note};
pub use blind::blind;
pub use blocked::{blocked_by, warned_of};
pub use cache::{advice as cache_advice, path_price};
pub use commitment::commitment;
pub use gpu::{gpu_is_scheduled, gpu_row, gpu_row_advice, gpu_scheduled, gpu_since, witness};
pub use guide::{guide_fail, guide_note, guide_warning, memory_how, memory_part, memory_source};
pub use held::held_by;
pub use jobs::{cause_fix, evidence_words, repeat, repeat_fix, request_fix, zombie, zombie_fix};
pub use likely::{likely, likely_remedy};
pub use list::list;
pub use model::{because as model_because, fit as model_fit};
pub use net::{net_note, net_unknown};
pub use network::{
    LIVE as NETWORK_LIVE, avoided as network_avoided, confidence as network_confidence,
    days as days_of_months, fix as network_fix, live as network_live, pay_back as network_pay_back,
    remedy as network_remedy,
};
pub use replay::{
    replay, replay_counted, replay_fix, replay_limits, replay_settings, replay_would,
};
pub use resource::resource_fix;
pub use scaling::{
    scaling, scaling_after, scaling_counted, scaling_fix, scaling_group, scaling_limits,
    scaling_settings, scaling_would,
};
pub use schedule::{obstacle, obstacle_detail};
pub use size::size;
pub use spot::{no_policy, spot, spot_because};
pub use storage::{fate, storage, storage_fix};
pub use teams::{budget_exceeded, quota_exceeded, remark as team_remark};
pub use unchecked::unchecked;
pub use verdict::{refusal, verdict};
pub use waterfall::{node_remedy, potential, step_note, task};

/// Of a row whose net is unknown, as nobody read the commitments.
const NET_UNREAD: &str = "Net unknown: commitments were not read.";
