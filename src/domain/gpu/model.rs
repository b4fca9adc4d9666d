//! What is known of a GPU by its model: names, idle power, board power.

/// A GPU model. Power in W; `None` where no figure is known, and the fleet's own readings are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuModel {
    /// Name as EC2 has it, such as `H100`.
    pub name: &'static str,
    /// Power draw of an idle GPU without a context, W, from captures of real cards. Values of NVIDIA's mock driver are
    /// no measurements and not used.
    pub idle_w: Option<f32>,
    /// Power draw with an idle context on it, W; `None` where it was not seen to differ much from `idle_w`.
    pub held_w: Option<f32>,
    /// Board power limit as delivered, W; the enforced limit takes precedence.
    pub tdp_w: Option<f32>,
    /// Compute slices of a whole GPU that can be partitioned (MIG); `None` for other models. Source: NVIDIA MIG user
    /// guide, "Supported MIG profiles"; for the RTX PRO 4500 the vGPU types of the Blackwell architecture (`1g.8gb`
    /// twice, `2g.32gb` once).
    pub mig_slices: Option<u32>,
}

const fn nvidia(name: &'static str, idle_w: Option<f32>, tdp_w: f32, slices: u32) -> GpuModel {
    let mig_slices = if slices == 0 { None } else { Some(slices) };
    GpuModel { name, idle_w, held_w: None, tdp_w: Some(tdp_w), mig_slices }
}

const fn other(name: &'static str) -> GpuModel {
    GpuModel { name, idle_w: None, held_w: None, tdp_w: None, mig_slices: None }
}

/// The models that EC2 rents, each with the words that make it out in a source's name for it.
const MODELS: [(&[&str], GpuModel); 23] = [
    (&["PRO", "6000"], nvidia("RTX PRO Server 6000", None, 600.0, 4)),
    (&["PRO", "4500"], nvidia("RTX PRO 4500", None, 200.0, 2)),
    (&["GB300"], nvidia("GB300", None, 1400.0, 7)),
    (&["GB200"], nvidia("GB200", None, 1200.0, 7)),
    (&["B300"], nvidia("B300", None, 1400.0, 7)),
    (&["B200"], nvidia("B200", None, 1000.0, 7)),
    (&["H200"], nvidia("H200", Some(78.0), 700.0, 7)),
    (&["H100"], nvidia("H100", Some(70.0), 700.0, 7)),
    (&["A100"], nvidia("A100", Some(67.0), 400.0, 7)),
    (&["A10G"], nvidia("A10G", Some(26.0), 300.0, 0)),
    (&["L40S"], nvidia("L40S", Some(65.0), 350.0, 0)),
    (&["L4"], nvidia("L4", None, 72.0, 0)),
    // 9 W asleep, up to 27 W with a context.
    (
        &["T4"],
        GpuModel {
            name: "T4",
            idle_w: Some(9.0),
            held_w: Some(28.0),
            tdp_w: Some(70.0),
            mig_slices: None,
        },
    ),
    (&["T4G"], nvidia("T4g", None, 70.0, 0)),
    (&["V100"], nvidia("V100", None, 300.0, 0)),
    (&["V520"], other("Radeon Pro V520")),
    (&["TRAINIUM2"], other("Trainium2")),
    (&["TRN2"], other("Trainium2")),
    (&["TRAINIUM"], other("Trainium")),
    (&["TRN1"], other("Trainium")),
    (&["INFERENTIA2"], other("Inferentia2")),
    (&["INF2"], other("Inferentia2")),
    (&["INFERENTIA"], other("Inferentia")),
];

/// Model that a source's device name denotes, `None` for an unknown one: `Tesla T4`, `NVIDIA-H100-80GB-HBM3` and
/// `NVIDIA RTX PRO 6000 Blackwell Server Edition` are T4, H100 and RTX PRO Server 6000. Whole words are compared: an
/// A10G is no A10, a GH200 no H200.
pub fn model(name: &str) -> Option<&'static GpuModel> {
    let is_word = |word: &str| {
        name.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| w.eq_ignore_ascii_case(word))
    };
    MODELS.iter().find(|(words, _)| words.iter().all(|w| is_word(w))).map(|(_, model)| model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sources_lead_to_the_model() {
        for (given, want) in [
            ("Tesla T4", Some("T4")),
            ("NVIDIA T4G", Some("T4g")),
            ("NVIDIA H100 80GB HBM3", Some("H100")),
            ("NVIDIA-H100-80GB-HBM3", Some("H100")),
            ("NVIDIA H200", Some("H200")),
            ("NVIDIA GH200 480GB", None),
            ("NVIDIA A100-SXM4-40GB", Some("A100")),
            ("Tesla V100-SXM2-16GB", Some("V100")),
            ("NVIDIA A10G", Some("A10G")),
            ("NVIDIA A10", None),
            ("NVIDIA L40S", Some("L40S")),
            ("NVIDIA L40", None),
            ("NVIDIA L4", Some("L4")),
            ("NVIDIA B200", Some("B200")),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition", Some("RTX PRO Server 6000")),
            ("RTX PRO Server 6000", Some("RTX PRO Server 6000")),
            ("Trainium2", Some("Trainium2")),
            ("Trainium", Some("Trainium")),
            ("", None),
        ] {
            assert_eq!(model(given).map(|m| m.name), want, "{given}");
        }
    }

    #[test]
    fn the_page_says_of_how_many_slices_a_whole_one_is() {
        let page = include_str!("../../../docs/gpus.md").replace('\n', " ");
        let slices = |name: &str| model(name).and_then(|m| m.mig_slices).unwrap();
        let (most, large, small) = (slices("H100"), slices("RTX PRO 6000"), slices("RTX PRO 4500"));
        let said = format!("({most}; of an RTX PRO 6000 {large}, of an RTX PRO 4500 {small})");
        assert!(page.contains(&said), "{said}");
        let others = MODELS.iter().map(|(_, m)| m).filter(|m| !m.name.starts_with("RTX PRO"));
        assert!(others.filter_map(|m| m.mig_slices).all(|n| n == most));
    }

    #[test]
    fn idle_lies_below_held_below_the_limit() {
        for (_, m) in MODELS {
            let (idle, limit) = (m.idle_w.unwrap_or(0.0), m.tdp_w.unwrap_or(1.0));
            assert!(idle < m.held_w.unwrap_or(limit) && m.held_w.unwrap_or(0.0) < limit, "{m:?}");
        }
    }
}
