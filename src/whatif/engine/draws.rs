//! Futures: for each path and week a base week of the history and a factor for each family.
//!
//! Whole weeks are drawn, independently and the same for all families, so that the hours of a week
//! stay as they were and what happens to two families at once stays at once. The factor of a family
//! has a mean of 1: exp(drift·(k+1)·Z − ½(drift·(k+1))²) × exp(shock·Wₖ − ½shock²) in week k, with
//! standard normal Z (one per path) and Wₖ (one per path and week), so that moving the drift or the
//! shock spreads the futures and leaves their mean where growth has it. Both are √ρ of what all
//! families share and √(1−ρ) of the family's own, ρ the scenario's correlation.

use std::sync::Mutex;

use super::super::{FamilyInputs, Workers};
use super::random::{Stream, of_name};

/// Paths of a chunk, the piece of work that is done by one worker at a time. Fixed, and so are the
/// order and the sums within: the number of workers does not move a digit.
pub(super) const CHUNK: usize = 512;

/// What the streams are for.
const BASE: u64 = 1;
const SHARED_DRIFT: u64 = 2;
const SHARED_SHOCK: u64 = 3;
const OWN_DRIFT: u64 = 4;
const OWN_SHOCK: u64 = 5;

/// A family's factors in one chunk: `[week][path]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scales {
    /// 1 throughout.
    One,
    /// For the fast tables.
    Fast(Vec<f32>),
    /// For the exact ones.
    Exact(Vec<f64>),
}

/// Parameters of a family's factors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    family: u64,
    drift: f64,
    shock: f64,
}

impl Spread {
    pub(super) fn of(inputs: &FamilyInputs) -> Self {
        Self { family: of_name(&inputs.name), drift: inputs.drift, shock: inputs.shock }
    }
}

/// Parameters that all draws of a scenario share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    pub(super) seed: u64,
    pub(super) weeks: usize,
    pub(super) base_weeks: u32,
    pub(super) correlation: f64,
    pub(super) exact: bool,
}

/// The draws made so far.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    pub(super) rules: Rules,
    /// Per chunk, `[week][path]`.
    pub(super) bases: Vec<Vec<u8>>,
    /// Per family, per chunk.
    pub(super) scales: Vec<(Spread, Vec<Scales>)>,
}

impl Draws {
    pub(super) fn new(rules: Rules, families: &[FamilyInputs]) -> Self {
        let scales = families.iter().map(|family| (Spread::of(family), Vec::new())).collect();
        Self { rules, bases: Vec::new(), scales }
    }

    /// Follows the families; what has another spread is drawn anew when next needed.
    pub(super) fn set(&mut self, families: &[FamilyInputs]) {
        self.scales.resize(families.len(), (Spread { family: 0, drift: 0.0, shock: 0.0 }, vec![]));
        for ((spread, chunks), family) in self.scales.iter_mut().zip(families) {
            let wanted = Spread::of(family);
            if *spread != wanted {
                *spread = wanted;
                chunks.clear();
            }
        }
    }

    /// Draws what is missing of the first `chunks` chunks. What is there stays: the first futures
    /// are the same however many are drawn.
    pub(super) fn ensure(&mut self, chunks: usize, workers: &dyn Workers) {
        let rules = self.rules;
        let bases = self.bases.len();
        let made = each(workers, chunks.saturating_sub(bases), |piece| rules.bases(bases + piece));
        self.bases.extend(made);
        // Families are drawn together where they can be: they share half of the numbers.
        let drawn: Vec<usize> = self.scales.iter().map(|(_, made)| made.len()).collect();
        let first = drawn.iter().copied().min().unwrap_or(chunks);
        let scales = &self.scales;
        let made = each(workers, chunks.saturating_sub(first), |piece| {
            let chunk = first + piece;
            let lacks = scales.iter().filter(|(_, made)| made.len() <= chunk);
            let spreads: Vec<&Spread> = lacks.map(|(spread, _)| spread).collect();
            rules.scales(&spreads, chunk)
        });
        for (piece, made) in made.into_iter().enumerate() {
            let lacks =
                self.scales.iter_mut().zip(&drawn).filter(|(_, had)| **had <= first + piece);
            lacks.zip(made).for_each(|(((_, chunks), _), made)| chunks.push(made));
        }
    }
}

impl Rules {
    fn bases(&self, chunk: usize) -> Vec<u8> {
        let mut bases = Vec::with_capacity(self.weeks * CHUNK);
        for week in 0..self.weeks as u64 {
            let stream = Stream::new(self.seed, BASE, week);
            bases.extend(positions(chunk).map(|at| stream.below(at, self.base_weeks) as u8));
        }
        bases
    }

    /// The factors of some families in one chunk.
    pub(super) fn scales(&self, spreads: &[&Spread], chunk: usize) -> Vec<Scales> {
        let first = (chunk * CHUNK) as u64;
        let shared = |purpose: u64, weeks: usize, of: fn(&Spread) -> f64| {
            let wanted = self.correlation > 0.0 && spreads.iter().any(|spread| of(spread) > 0.0);
            let mut rows = vec![0.0; if wanted { weeks * CHUNK } else { 0 }];
            for (week, row) in rows.chunks_mut(CHUNK).enumerate() {
                Stream::new(self.seed, purpose, week as u64).normals(first, row);
            }
            rows
        };
        let drift = shared(SHARED_DRIFT, 1, |spread| spread.drift);
        let shock = shared(SHARED_SHOCK, self.weeks, |spread| spread.shock);
        spreads.iter().map(|spread| self.scales_of(spread, first, &drift, &shock)).collect()
    }

    /// A family's factors, with the numbers that it shares.
    fn scales_of(&self, spread: &Spread, first: u64, drift: &[f64], shock: &[f64]) -> Scales {
        if spread.drift == 0.0 && spread.shock == 0.0 {
            return Scales::One;
        }
        let mut drifts = [0.0; CHUNK];
        if spread.drift > 0.0 {
            self.mix(spread.family ^ OWN_DRIFT, 0, first, drift, &mut drifts);
        }
        let mut shocks = [0.0; CHUNK];
        let mut fast = Vec::with_capacity(if self.exact { 0 } else { self.weeks * CHUNK });
        let mut exact = Vec::with_capacity(if self.exact { self.weeks * CHUNK } else { 0 });
        for week in 0..self.weeks {
            let sigma = spread.drift * (week + 1) as f64;
            let mean = 0.5 * (sigma * sigma + spread.shock * spread.shock);
            if spread.shock > 0.0 {
                let shared = shock.get(week * CHUNK..(week + 1) * CHUNK).unwrap_or_default();
                self.mix(spread.family ^ OWN_SHOCK, week, first, shared, &mut shocks);
            }
            let noise = drifts.iter().zip(&shocks);
            let factors = noise.map(|(z, w)| (sigma * z + spread.shock * w - mean).exp());
            if self.exact {
                exact.extend(factors);
            } else {
                fast.extend(factors.map(|factor| factor as f32));
            }
        }
        if self.exact { Scales::Exact(exact) } else { Scales::Fast(fast) }
    }

    /// A row of normal numbers, shared by the families as far as they are correlated.
    fn mix(&self, own: u64, week: usize, first: u64, shared: &[f64], row: &mut [f64]) {
        let (of_all, of_one) = (self.correlation.sqrt(), (1.0 - self.correlation).sqrt());
        if of_one > 0.0 {
            Stream::new(self.seed, own, week as u64).normals(first, row);
            row.iter_mut().for_each(|z| *z *= of_one);
        } else {
            row.fill(0.0);
        }
        row.iter_mut().zip(shared).for_each(|(z, shared)| *z += of_all * shared);
    }
}

/// The paths of a chunk.
fn positions(chunk: usize) -> impl Iterator<Item = u64> {
    (chunk * CHUNK..(chunk + 1) * CHUNK).map(|path| path as u64)
}

/// Makes `pieces` things on the workers, in order.
pub(super) fn each<T: Send>(
    workers: &dyn Workers,
    pieces: usize,
    make: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let made: Vec<Mutex<Option<T>>> = (0..pieces).map(|_| Mutex::new(None)).collect();
    workers.each(pieces, &|piece| {
        let thing = make(piece);
        if let Ok(mut place) = made[piece].lock() {
            *place = Some(thing);
        }
    });
    // A worker that did not do its piece is made up for here.
    let made = made.into_iter().map(|place| place.into_inner().ok().flatten()).enumerate();
    made.map(|(piece, thing)| thing.unwrap_or_else(|| make(piece))).collect()
}
