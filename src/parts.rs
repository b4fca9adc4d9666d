//! What benches, end-to-end tests and examples in the docs use of the house, at the paths where it lives. All else is the crate's own, so
//! that the compiler sees what nobody calls: who adds a line here takes its item out of that sight.

pub mod act {
    pub mod exec {
        pub mod audit {
            pub use crate::act::exec::audit::{Body, FileDisk, Journal, Line};
        }
    }
    pub mod plan {
        pub use crate::act::plan::{
            Approval, Confirmed, Order, OutcomeKind, PLAN_SCHEMA, Plan, PlanFile, PlanItem, Verb,
        };
        pub mod storage {
            pub use crate::act::plan::storage::{
                Fit, Matter, STORAGE_PLAN_SCHEMA, StorageItem, StorageOrder, StoragePlan,
                StoragePlanFile, StorageVerb, VolumeMatter,
            };
        }
    }
}
pub mod analyze {
    pub mod commitments {
        pub use crate::analyze::commitments::table;
    }
    pub mod gpu {
        pub use crate::analyze::gpu::{GpuRules, Intervals, Watch, WatchInput};
    }
    pub mod idle {
        pub use crate::analyze::idle::{Policy, Preset, Subject, judge, next_signals, signals_for};
        pub mod backtest {
            pub use crate::analyze::idle::backtest::{Past, Replay};
        }
    }
    pub mod network {
        pub mod cache {
            pub use crate::analyze::network::cache::CacheFold;
        }
        pub mod live {
            pub use crate::analyze::network::live::{command, live};
        }
    }
    pub mod resources {
        pub use crate::analyze::resources::rows;
    }
    pub mod savings {
        pub use crate::analyze::savings::{SavingsInput, SavingsRules};
    }
    pub mod teams {
        pub use crate::analyze::teams::{
            Dimension, Lack, Line, Mapping, MoneyFilter, Pattern, Pool, Rules, Split, allocate,
        };
    }
    pub mod storage {
        pub use crate::analyze::storage::{
            Fold, ListInfo, PictureInput, TreeFold, TreeLimits, picture,
        };
        pub mod checkpoints {
            pub use crate::analyze::storage::checkpoints::RunFold;
        }
        pub mod duplicates {
            pub use crate::analyze::storage::duplicates::{Duplicates, Limits};
        }
    }
}
pub mod app {
    pub use crate::app::{
        App, AppInit, Appearance, ColorDepth, Intervals, Key, Keymap, Mode, Msg, ThemeName,
    };
}
pub mod bus {
    pub mod planning {
        pub use crate::bus::planning::Threads;
    }
    pub mod scan {
        pub use crate::bus::scan::{OnError, Pass, Progress, run};
    }
}
pub mod domain {
    pub use crate::domain::{
        Accelerator, AcceleratorKind, CapacityReservation, Commitment, CommitmentState, Commits,
        ErrorKind, FleetHour, GpuIdentity, GpuKey, GpuOwner, GpuSample, GpuSignal, GpuSignals,
        Holdings, HostNames, Hour, HourRange, HourTable, HourlySeries, Instance, InstanceState,
        Lifecycle, Offer, OfferingClass, PaymentOption, PlanRate, PlanType, Platform, PriceBasis,
        Provenance, RESOURCE_HOURS, Rate, ReservedInstances, ReservesCapacity, ResourceFacts,
        ResourceKind, ResourceSignal, Routing, Rung, SavingsFacts, SavingsPlan, Scope,
        ScopeResources, SeriesSet, Signal, SourceId, Sweep, TagKeys, Tags, Tenancy, TypeSpec,
        Verdict, VerdictKind,
    };
    pub mod bill {
        pub use crate::domain::bill::{Charge, Pricing, Usd};
    }
    pub mod jobs {
        pub use crate::domain::jobs::GpuHolder;
    }
    pub mod object_reads {
        pub use crate::domain::object_reads::ReadsBy;
    }
    pub mod storage {
        pub use crate::domain::storage::{
            Confidence, Etag, NodeKind, ObjectBatch, ObjectColumns, ObjectFlags, PrefixTree, Scan,
            ScanOrigin, StorageFacts, Sums, Tier, TreeBuilder, VolumeKind,
        };
    }
    pub mod text {
        pub use crate::domain::text::is_unsafe;
    }
}
pub mod fleet {
    pub use crate::fleet::{Book, Fleet, GpuFleet, JoinInput, PriceBook, Row, join};
    pub mod commitments {
        pub use crate::fleet::commitments::{Applier, Running, covers};
    }
    pub mod gpu {
        pub use crate::fleet::gpu::GpuFleet;
    }
    pub mod savings {
        pub use crate::fleet::savings::{PathRow, ResourceRow};
    }
}
pub mod source {
    pub use crate::source::{Ask, GpuSource, Provider};
    pub mod access_logs {
        pub use crate::source::access_logs::{Log, read};
    }
    pub mod aws {
        pub use crate::source::aws::{AccountSource, connect};
    }
    pub mod bill {
        pub use crate::source::bill::{ReadOptions, read};
    }
    pub mod exporter {
        pub use crate::source::exporter::{Exporter, Settings, Targets};
    }
    pub mod exposition {
        pub use crate::source::exposition::Reader;
    }
    pub mod inventory {
        pub use crate::source::inventory::{Place, open};
    }
    pub mod jobs {
        pub mod live {
            pub use crate::source::jobs::live::{JobWindow, JobsRead, LiveJobs};
        }
        pub mod slurm {
            pub use crate::source::jobs::slurm::{Place, SlurmPrograms, SlurmSettings};
        }
    }
    pub mod objects {
        pub use crate::source::objects::Need;
    }
    pub mod prometheus {
        pub use crate::source::prometheus::{Matchers, Prometheus, Settings, json};
    }
    pub mod ssh {
        pub use crate::source::ssh::{Login, Settings, Ssh, Target};
    }
    pub mod vocabulary {
        pub use crate::source::vocabulary::{Gather, Page, Vocabulary};
    }
}
pub mod tabs {
    pub mod idle {
        pub mod picture {
            pub use crate::tabs::idle::picture::{DEFAULT_COLUMNS, Field};
        }
    }
}
pub mod term {
    pub use crate::term::{Cockpit, Exit, Options, Order, detect, osc52, run};
}
pub mod ui {
    pub use crate::ui::draw;
}
pub mod view {
    pub use crate::view::reasons::verdict as reason_words;
    pub use crate::view::{Filter, Sort, Symbols, TableField, ViewContext, table};
}
pub mod whatif {
    pub use crate::whatif::{
        Buy, ComputePlan, Demand, DemandOrigin, Engine, Family, FamilyInputs, Future, Offer,
        OfferKind, OneByOne, Payment, PlanRate, Scenario, Workers,
    };
    pub mod supply {
        pub mod plans {
            pub use crate::whatif::supply::plans::{Plan, PlanKind, Reserved, Usage, bill};
        }
    }
}
