//! What the driver says of the accelerators of the demo: names, memory, power, clocks.

use crate::domain::Accelerator;

/// A GPU model as its driver describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Card {
    /// Name in NVML, such as `NVIDIA A100-SXM4-40GB`.
    pub name: &'static str,
    /// Device memory as the driver reports it, MiB: less than the EC2 API states (for A10G, L4 and L40S more).
    pub memory_mib: f64,
    /// Idle power and power limit, W; `None` when the driver reports neither, as in the guest of a partitioned card.
    pub power: Option<(f64, f64)>,
    /// Idle and highest clock of the multiprocessors, MHz; `None` for devices without.
    pub clocks: Option<(f64, f64)>,
    /// Memory per slice of a split into 3g + 2g + 2g, as in the profile names; `None` for a model that cannot be split,
    /// or is not in the demo.
    pub mig: Option<[&'static str; 2]>,
}

const fn card(name: &'static str, memory_mib: f64, idle: f64, limit: f64) -> Card {
    Card { name, memory_mib, power: Some((idle, limit)), clocks: Some((210.0, 1_980.0)), mig: None }
}

impl Card {
    const fn clocks(mut self, idle: f64, highest: f64) -> Self {
        self.clocks = Some((idle, highest));
        self
    }

    const fn mig(mut self, three: &'static str, two: &'static str) -> Self {
        self.mig = Some([three, two]);
        self
    }

    /// A share of a card, as its guest sees it.
    const fn share(name: &'static str, memory_mib: f64) -> Self {
        let clocks = Some((210.0, 2_040.0));
        Self { name, memory_mib, power: None, clocks, mig: None }
    }

    /// A Neuron device: no driver of NVIDIA's, no power, no clocks.
    const fn neuron(name: &'static str, memory_mib: f64) -> Self {
        Self { name, memory_mib, power: None, clocks: None, mig: None }
    }
}

/// The models by the name of the EC2 API, those that come in two sizes by memory as well. Idle power
/// of H100, H200, A100, L40S, A10G, T4 and B200 as measured on such cards; limits are those of the
/// vendor's sheets.
const CARDS: [(&str, u64, Card); 19] = [
    ("V100", 0, card("Tesla V100-SXM2-16GB", 16_384.0, 42.0, 300.0).clocks(135.0, 1_530.0)),
    (
        "A100",
        40_960,
        card("NVIDIA A100-SXM4-40GB", 40_960.0, 67.0, 400.0)
            .clocks(210.0, 1_410.0)
            .mig("3g.20gb", "2g.10gb"),
    ),
    (
        "A100",
        81_920,
        card("NVIDIA A100-SXM4-80GB", 81_920.0, 67.0, 400.0)
            .clocks(210.0, 1_410.0)
            .mig("3g.40gb", "2g.20gb"),
    ),
    (
        "H100",
        0,
        card("NVIDIA H100 80GB HBM3", 81_559.0, 70.0, 700.0)
            .clocks(345.0, 1_980.0)
            .mig("3g.40gb", "2g.20gb"),
    ),
    (
        "H200",
        0,
        card("NVIDIA H200", 143_771.0, 78.0, 700.0)
            .clocks(345.0, 1_980.0)
            .mig("3g.71gb", "2g.35gb"),
    ),
    ("B200", 0, card("NVIDIA B200", 183_359.0, 130.0, 1_000.0).clocks(120.0, 1_965.0)),
    ("B300", 0, card("NVIDIA B300 SXM6 AC", 275_040.0, 150.0, 1_400.0).clocks(120.0, 1_920.0)),
    ("T4", 0, card("Tesla T4", 15_360.0, 10.0, 70.0).clocks(300.0, 1_590.0)),
    ("T4g", 0, card("NVIDIA T4G", 15_360.0, 10.0, 70.0).clocks(300.0, 1_590.0)),
    ("A10G", 0, card("NVIDIA A10G", 23_028.0, 26.0, 300.0).clocks(210.0, 1_710.0)),
    ("L4", 2_861, Card::share("NVIDIA L4-3Q", 2_861.0)),
    ("L4", 5_722, Card::share("NVIDIA L4-6Q", 5_722.0)),
    ("L4", 11_444, Card::share("NVIDIA L4-12Q", 11_444.0)),
    ("L4", 0, card("NVIDIA L4", 23_034.0, 13.0, 72.0).clocks(210.0, 2_040.0)),
    ("L40S", 0, card("NVIDIA L40S", 46_068.0, 65.0, 350.0).clocks(210.0, 2_520.0)),
    (
        "RTX PRO Server 6000",
        0,
        card("NVIDIA RTX PRO 6000 Blackwell Server Edition", 97_887.0, 32.0, 600.0)
            .clocks(180.0, 2_430.0),
    ),
    (
        "RTX PRO 4500",
        0,
        card("NVIDIA RTX PRO 4500 Blackwell Server Edition", 32_623.0, 16.0, 200.0)
            .clocks(180.0, 2_407.0),
    ),
    ("Trainium", 0, Card::neuron("Trainium", 32_768.0)),
    ("Inferentia2", 0, Card::neuron("Inferentia2", 32_768.0)),
];

/// Driver's data of `accelerator`; `None` for a model without data in the demo.
pub(super) fn of(accelerator: &Accelerator) -> Option<&'static Card> {
    let fits = |(model, memory, _): &&(&str, u64, Card)| {
        *model == &*accelerator.model && (*memory == 0 || *memory == accelerator.memory_mib)
    };
    CARDS.iter().find(fits).map(|(.., card)| card)
}
