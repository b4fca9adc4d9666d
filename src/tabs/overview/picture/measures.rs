//! The GPUs by two measures: as verdicts judge them over their window, and as exporters report them now.
//!
//! The unit is the GPU as AWS sells it: a part of one (g6f) is its fraction, MIG slices are their shares of their GPU.

use crate::domain::{FastMap, GpuState, VerdictKind};
use crate::fleet::{Fleet, GpuFleet, GpuRow, Row};
use crate::view::format;

/// What a GPU does, by either measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuUse {
    /// Works, however little.
    AtWork,
    /// Idles: live it is held, unallocated or in a job.
    Idle,
    /// Stalled, or unhealthy and quiet; live only.
    Broken,
    /// Of an instance that is exempt or too new to judge; judged only.
    Exempt,
    /// Not known: too little data, or data too old, or a hardware error and nothing that tells of its use.
    Unknown,
    /// Reported by no exporter; live only.
    Unseen,
}

impl GpuUse {
    /// All uses, in the order shown.
    pub const ALL: [Self; 6] =
        [Self::AtWork, Self::Idle, Self::Broken, Self::Exempt, Self::Unknown, Self::Unseen];

    /// False for what only exporters tell.
    pub fn is_judged(self) -> bool {
        !matches!(self, Self::Broken | Self::Unseen)
    }

    /// False for what only verdicts tell.
    pub fn is_live(self) -> bool {
        self != Self::Exempt
    }

    /// Name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::AtWork => "at_work",
            Self::Idle => "idle",
            Self::Broken => "stalled_or_unhealthy",
            Self::Exempt => "exempt_or_too_new",
            Self::Unknown => "unknown",
            Self::Unseen => "unseen",
        }
    }

    /// Label on screen: the states of the GPUs tab that it holds, in its words.
    pub fn label(self) -> &'static str {
        match self {
            Self::AtWork => "at work: busy or inefficient",
            Self::Idle => "idle: held, unallocated or in a job",
            Self::Broken => "stalled, or unhealthy and quiet",
            Self::Exempt => "exempt or too new",
            Self::Unknown => "unknown, stale or unhealthy",
            Self::Unseen => "no exporter sees them",
        }
    }
}

/// Piece between the idle GPUs of one measure and those of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Idle and partly idle instances, as judged.
    Judged,
    /// Idle instances without GPUs, which are dollars alone.
    WithoutGpus,
    /// Held idle, where the verdict says that they work.
    HeldIdle,
    /// Unallocated, where the verdict says that they work.
    Unallocated,
    /// Idle on instances that are exempt, too new, or of no known verdict.
    NotJudged,
    /// Judged idle, at work now.
    AtWork,
    /// Judged idle, of unknown state now.
    Unknown,
    /// Judged idle, reported by no exporter.
    Unseen,
    /// Stalled, or unhealthy and quiet: their price is waste, and they are not idle.
    Broken,
    /// Waste live now: the sum of all others.
    Live,
}

impl PieceKind {
    /// All pieces, in the order shown.
    pub const ALL: [Self; 10] = [
        Self::Judged,
        Self::WithoutGpus,
        Self::HeldIdle,
        Self::Unallocated,
        Self::NotJudged,
        Self::AtWork,
        Self::Unknown,
        Self::Unseen,
        Self::Broken,
        Self::Live,
    ];

    /// Name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Judged => "judged_idle",
            Self::WithoutGpus => "without_gpus",
            Self::HeldIdle => "held_idle_in_use",
            Self::Unallocated => "unallocated_in_use",
            Self::NotJudged => "idle_not_judged",
            Self::AtWork => "at_work_now",
            Self::Unknown => "unknown_now",
            Self::Unseen => "unseen",
            Self::Broken => "stalled_or_unhealthy",
            Self::Live => "live_now",
        }
    }

    /// Label on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Judged => "judged idle",
            Self::WithoutGpus => "idle instances without GPUs",
            Self::HeldIdle => "held idle, instance judged in use",
            Self::Unallocated => "unallocated, instance judged in use",
            Self::NotJudged => "idle, instance not judged",
            Self::AtWork => "judged idle, at work now",
            Self::Unknown => "judged idle, state unknown now",
            Self::Unseen => "judged idle, no exporter sees them",
            Self::Broken => "stalled, or unhealthy and quiet",
            Self::Live => "waste live now",
        }
    }
}

/// Piece with what it adds, or takes away where negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Which piece.
    pub kind: PieceKind,
    /// GPU equivalents.
    pub gpus: f64,
    /// Price of them, USD/h; those without a price are left out.
    pub usd_per_hour: f64,
    /// GPU equivalents of them without a price; its sign is that of `gpus`.
    pub unpriced: f64,
}

impl Piece {
    /// True when there is nothing in it.
    pub fn is_nothing(&self) -> bool {
        self.gpus.abs() < 1e-9 && self.usd_per_hour.abs() < 1e-9
    }

    /// Price, USD/h; `None` when none of the GPUs has one.
    pub fn known(&self) -> Option<f64> {
        let is_known = self.usd_per_hour.abs() >= 1e-9 || self.unpriced.abs() < 1e-9;
        is_known.then_some(self.usd_per_hour)
    }

    /// `1 without a price`; `None` where all have one.
    pub fn left_out(&self) -> Option<String> {
        let unpriced = self.unpriced.abs();
        (unpriced >= 1e-9).then(|| format!("{} without a price", format::count(unpriced)))
    }
}

/// GPUs of the running instances by both measures. Both columns have all GPUs of known types.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// GPU equivalents by verdict, in the order of [`GpuUse::ALL`].
    pub judged: [f64; 6],
    /// GPU equivalents by state, in the order of [`GpuUse::ALL`].
    pub live: [f64; 6],
    /// Pieces that lead from the judged waste to the live one, in the order of [`PieceKind::ALL`].
    pub pieces: [Piece; 10],
    /// Number of MIG slices that exporters report on running instances.
    pub slices: u32,
    /// GPU equivalents of these slices.
    pub sliced: f64,
    /// GPU equivalents that exporters report on hosts which are no running instance of the fleet, or of unknown type: in
    /// neither column.
    pub outside: f64,
}

impl Measures {
    /// Compares both measures; `None` without GPU telemetry, and while only a part of it is loaded.
    pub fn of(fleet: &Fleet, gpus: &GpuFleet) -> Option<Self> {
        if gpus.rows.is_empty() || gpus.totals.count() as usize > gpus.rows.len() {
            return None;
        }
        let mut live: FastMap<&str, Live> = FastMap::default();
        let mut sum = Self {
            judged: [0.0; 6],
            live: [0.0; 6],
            pieces: PieceKind::ALL.map(|kind| Piece {
                kind,
                gpus: 0.0,
                usd_per_hour: 0.0,
                unpriced: 0.0,
            }),
            slices: 0,
            sliced: 0.0,
            outside: 0.0,
        };
        for row in &gpus.rows {
            let id = row.node.instance.as_deref().map_or("", |row| &*row.instance.id);
            live.entry(id).or_default().add(row);
        }
        for row in fleet.rows.iter().filter(|r| r.instance.state.is_billed()) {
            if let Some(all) = row.gpus().filter(|gpus| *gpus > 0.0) {
                let live = live.remove(&*row.instance.id).unwrap_or_default();
                sum.slices += live.slices;
                sum.sliced += live.sliced;
                sum.add(row, all, live.within(all));
            } else {
                let usd = row.waste_usd_per_hour().unwrap_or(0.0);
                sum.piece(PieceKind::Judged, 0.0, usd, 0.0);
                sum.piece(PieceKind::WithoutGpus, 0.0, -usd, 0.0);
            }
        }
        sum.outside = live.values().map(Live::all).sum();
        let [gpus, usd, unpriced] = [
            |piece: &Piece| piece.gpus,
            |piece: &Piece| piece.usd_per_hour,
            |piece: &Piece| piece.unpriced,
        ]
        .map(|of| sum.pieces.iter().map(of).sum());
        sum.piece(PieceKind::Live, gpus, usd, unpriced);
        Some(sum)
    }

    /// A piece by its kind.
    pub fn of_piece(&self, kind: PieceKind) -> Piece {
        self.pieces[kind as usize]
    }

    /// Several pieces as one, of the kind of the first; `None` for none.
    pub fn of_pieces(&self, kinds: &[PieceKind]) -> Option<Piece> {
        let each = kinds.iter().map(|kind| self.of_piece(*kind));
        each.reduce(|sum, piece| Piece {
            gpus: sum.gpus + piece.gpus,
            usd_per_hour: sum.usd_per_hour + piece.usd_per_hour,
            unpriced: sum.unpriced + piece.unpriced,
            ..sum
        })
    }

    /// GPU equivalents of all running instances of known types.
    pub fn all(&self) -> f64 {
        self.judged.iter().sum()
    }

    fn piece(&mut self, kind: PieceKind, gpus: f64, usd: f64, unpriced: f64) {
        // The order of `ALL` is that of the variants.
        let piece = &mut self.pieces[kind as usize];
        piece.gpus += gpus;
        piece.usd_per_hour += usd;
        piece.unpriced += unpriced;
    }

    /// Adds an instance with `all` GPU equivalents.
    fn add(&mut self, row: &Row, all: f64, live: Live) {
        let kind = row.verdict.as_ref().map(|v| v.kind);
        let share = row.verdict.as_ref().and_then(|v| v.waste_share()).unwrap_or(0.0);
        let is_judged =
            kind.is_some_and(VerdictKind::tells_waste) && kind != Some(VerdictKind::Exempt);
        let idle = if is_judged { all * share } else { 0.0 };
        self.judged[GpuUse::Idle as usize] += idle;
        let rest = match kind {
            Some(VerdictKind::Exempt | VerdictKind::TooNew) => GpuUse::Exempt,
            _ if is_judged => GpuUse::AtWork,
            _ => GpuUse::Unknown,
        };
        self.judged[rest as usize] += all - idle;
        let unseen = (all - live.all()).max(0.0);
        for (of, gpus) in [
            (GpuUse::AtWork, live.at_work),
            (GpuUse::Idle, live.held + live.unallocated),
            (GpuUse::Broken, live.broken),
            (GpuUse::Unknown, live.unknown),
            (GpuUse::Unseen, unseen),
        ] {
            self.live[of as usize] += gpus;
        }
        let usd_of_one = row.usd_per_hour().map(|usd| usd / all);
        let mut piece = |kind, gpus: f64| match usd_of_one {
            Some(usd) => self.piece(kind, gpus, gpus * usd, 0.0),
            None => self.piece(kind, gpus, 0.0, gpus),
        };
        piece(PieceKind::Judged, idle);
        let now = live.held + live.unallocated;
        if !is_judged {
            piece(PieceKind::Broken, live.broken);
            return piece(PieceKind::NotJudged, now);
        }
        // Which of the GPUs it were does not matter: those that idle are idle by both measures as far as they go.
        let more = (now - idle).max(0.0);
        let held = more.min(live.held);
        piece(PieceKind::HeldIdle, held);
        piece(PieceKind::Unallocated, more - held);
        let mut fewer = (idle - now).max(0.0);
        // What is judged idle and broken is in the judged waste already.
        let both = fewer.min(live.broken);
        piece(PieceKind::Broken, live.broken - both);
        fewer -= both;
        for (kind, most) in [
            (PieceKind::Unseen, unseen),
            (PieceKind::Unknown, live.unknown),
            (PieceKind::AtWork, f64::INFINITY),
        ] {
            let part = fewer.min(most);
            piece(kind, -part);
            fewer -= part;
        }
    }
}

/// GPU equivalents of one instance by state.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    at_work: f64,
    held: f64,
    unallocated: f64,
    broken: f64,
    unknown: f64,
    /// Number of MIG slices in them, and their GPU equivalents.
    slices: u32,
    sliced: f64,
}

impl Live {
    fn add(&mut self, row: &GpuRow) {
        let part = match row.verdict.state {
            GpuState::HeldIdle => &mut self.held,
            GpuState::UnallocatedIdle => &mut self.unallocated,
            GpuState::Stalled => &mut self.broken,
            GpuState::Unhealthy => match row.waste_usd_per_hour {
                Some(usd) if usd > 0.0 => &mut self.broken,
                Some(_) => &mut self.at_work,
                None => &mut self.unknown,
            },
            GpuState::Unknown | GpuState::Stale => &mut self.unknown,
            GpuState::Inefficient | GpuState::Busy => &mut self.at_work,
        };
        *part += row.equivalents;
        if row.key.gpu_instance.is_some() {
            self.slices += 1;
            self.sliced += row.equivalents;
        }
    }

    fn all(&self) -> f64 {
        self.at_work + self.held + self.unallocated + self.broken + self.unknown
    }

    /// The same for an instance with `all` GPU equivalents. More are reported where a board was exchanged: they share
    /// what is there.
    fn within(self, all: f64) -> Self {
        let scale = if self.all() > all { all / self.all() } else { 1.0 };
        Self {
            at_work: self.at_work * scale,
            held: self.held * scale,
            unallocated: self.unallocated * scale,
            broken: self.broken * scale,
            unknown: self.unknown * scale,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::tabs::gpus::picture::fixture::gpus;
    use crate::view::fixture::fleet;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn both_columns_have_all_gpus() {
        let fleet = fleet();
        let measures = Measures::of(&fleet, &gpus()).unwrap();
        assert!(near(measures.judged.iter().sum(), fleet.totals.gpus), "{measures:?}");
        assert!(near(measures.live.iter().sum(), fleet.totals.gpus), "{measures:?}");
        assert!(near(measures.of_piece(PieceKind::Judged).usd_per_hour, fleet.totals.waste));
        assert!(near(measures.judged[GpuUse::Idle as usize], fleet.totals.idle_gpus));
    }

    #[test]
    fn slices_of_no_running_instance_are_not_among_the_gpus_compared() {
        let (fleet, mut gpus) = (fleet(), gpus());
        let of = |gpus: &GpuFleet| {
            let measures = Measures::of(&fleet, gpus).unwrap();
            (measures.slices, measures.sliced, measures.outside)
        };
        let (slices, sliced, outside) = of(&gpus);
        assert_eq!((slices, sliced), (0, 0.0), "the host of the slices is no instance");
        let host = gpus.rows.iter().find_map(|row| row.node.instance.clone()).unwrap();
        for row in &mut gpus.rows {
            let row = Arc::make_mut(row);
            if row.key.gpu_instance.is_some() {
                Arc::make_mut(&mut row.node).instance = Some(host.clone());
            }
        }
        // Of the 7 parts of the GPU the slices have 3, 1 and 1.
        let (slices, sliced, left) = of(&gpus);
        assert_eq!(slices, 3);
        assert!(near(sliced, 5.0 / 7.0) && near(left, outside - sliced), "{sliced} {left}");
    }

    #[test]
    fn nothing_is_compared_without_telemetry_or_with_a_part_of_it() {
        assert_eq!(Measures::of(&fleet(), &GpuFleet::default()), None);
        let mut part = gpus();
        part.totals.by_state[GpuState::Busy as usize].count += 1;
        assert_eq!(Measures::of(&fleet(), &part), None);
    }

    proptest! {
        /// Whatever exporters say, the pieces lead from the one measure to the other.
        #[test]
        fn pieces_add_up(states in prop::collection::vec(0usize..8, 22), lost in 0usize..22) {
            let fleet = fleet();
            let mut gpus = gpus();
            for (row, state) in gpus.rows.iter_mut().zip(&states) {
                let row = Arc::make_mut(row);
                Arc::make_mut(&mut row.verdict).state = GpuState::ALL[*state];
            }
            gpus.rows.truncate(gpus.rows.len() - lost.min(gpus.rows.len() - 1));
            gpus.totals = crate::fleet::GpuTotals::of(gpus.rows.iter().map(|row| &**row));
            let measures = Measures::of(&fleet, &gpus).unwrap();
            prop_assert!(near(measures.judged.iter().sum(), fleet.totals.gpus));
            prop_assert!(near(measures.live.iter().sum(), fleet.totals.gpus));
            let live = measures.live[GpuUse::Idle as usize] + measures.live[GpuUse::Broken as usize];
            prop_assert!(near(measures.of_piece(PieceKind::Live).gpus, live), "{measures:?}");
            let before = &measures.pieces[..measures.pieces.len() - 1];
            let usd: f64 = before.iter().map(|piece| piece.usd_per_hour).sum();
            prop_assert!(near(usd, measures.of_piece(PieceKind::Live).usd_per_hour));
            prop_assert!(measures.live.iter().chain(&measures.judged).all(|gpus| *gpus >= 0.0));
        }
    }
}
