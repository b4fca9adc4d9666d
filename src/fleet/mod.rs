//! The join of everything known about the fleet into one immutable, versioned snapshot.
//!
//! Pure: instances × types × prices × verdicts × tags → rows. The screen, the reports and the
//! filter all read the same rows.

pub mod ask;
pub mod book;
pub mod commitments;
pub mod gpu;
pub mod held;
pub mod join;
pub mod obstacle;
pub mod parts;
pub mod prices;
pub mod row;
pub mod savings;
pub mod shares;
pub mod storage;
pub mod totals;

pub use ask::{Ask, AskFrom};
pub use book::Book;
pub use commitments::{Applied, Applier, Cover, CoveredBy, Meter, Net};
pub use gpu::{Blind, BlindCause, GpuFleet, GpuNode, GpuRow, GpuTotals, Told};
pub use held::{HeldBy, HeldInstances, HeldNode};
pub use join::{Fleet, JoinInput, join};
pub use obstacle::Obstacle;
pub use parts::{Part, PartKind, parts};
pub use prices::PriceBook;
pub use row::Row;
pub use savings::Savings;
pub use shares::{FleetShares, is_tagged};
pub use storage::StorageFleet;
pub use totals::Totals;
