//! How effective use is distributed: a mean hides that half of a fleet idles while the other half
//! works.

use crate::fleet::GpuRow;
use crate::view::format;

/// Number of bands, a tenth of effective use each.
pub const BANDS: usize = 10;

/// Sums over the GPUs of one band.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandSum {
    /// Number of GPUs.
    pub gpus: u32,
    /// GPU equivalents.
    pub equivalents: f64,
    /// Burn of the priced GPUs, USD/h.
    pub usd_per_hour: f64,
    /// Number of GPUs without a price.
    pub unpriced: u32,
}

/// GPUs by effective use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Band `i` holds effective use from `i` tenths to less than `i + 1` tenths; the last one includes 1.
    pub bands: [BandSum; BANDS],
    /// GPUs of unknown use, which are in no band.
    pub unknown: BandSum,
}

impl BandSum {
    fn add(&mut self, row: &GpuRow) {
        self.gpus += 1;
        self.equivalents += row.equivalents;
        match row.usd_per_hour {
            Some(usd) => self.usd_per_hour += usd,
            None => self.unpriced += 1,
        }
    }
}

impl Histogram {
    /// Largest number of equivalents of a band, the unknown one included: the end of the axis.
    pub fn most_equivalents(&self) -> f64 {
        self.all().map(|b| b.equivalents).fold(0.0, f64::max)
    }

    /// All bands, the unknown one last.
    pub fn all(&self) -> impl Iterator<Item = &BandSum> {
        self.bands.iter().chain([&self.unknown])
    }

    /// Label of band `i`: `20-29%`, of the last one `90-100%`.
    pub fn label(i: usize) -> String {
        let last = if i + 1 == BANDS { 100 } else { i * 10 + 9 };
        format!("{}-{}", i * 10, format::percent(last as f64, 0))
    }
}

/// Index of the band of an effective use (0–1).
pub fn band_of(effective: f32) -> usize {
    ((effective * BANDS as f32).max(0.0) as usize).min(BANDS - 1)
}

/// Histogram of `rows`.
pub fn histogram<'a>(rows: impl IntoIterator<Item = &'a GpuRow>) -> Histogram {
    let mut histogram = Histogram::default();
    for row in rows {
        let band = match row.effective() {
            Some(effective) => &mut histogram.bands[band_of(effective as f32)],
            None => &mut histogram.unknown,
        };
        band.add(row);
    }
    histogram
}
