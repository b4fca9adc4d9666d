//! What holds for all simulators alike.

use super::*;

/// A set of levers with everything that each needs: the example that ships.
pub(super) fn whole() -> Levers {
    let text = include_str!("../../../assets/levers.example.toml");
    toml::from_str::<crate::whatif::Scenario>(text).unwrap().levers
}

#[test]
fn the_example_and_the_manual_know_every_input_and_result() {
    let example = include_str!("../../../assets/levers.example.toml");
    let manual = include_str!("../../../docs/simulators.md");
    let levers = whole();
    for kind in LeverKind::ALL {
        let lever = levers.get(kind).unwrap();
        let chapter =
            manual.split("\n## ").find(|chapter| chapter.starts_with(kind.word())).unwrap();
        let says = |name: &str| chapter.contains(&format!("`{name}`"));
        for knob in lever.knobs() {
            let name = knob.name.rsplit('.').next().unwrap();
            assert!(says(name), "docs/simulators.md says nothing of {kind} {name}");
            assert!(example.contains(&format!("{name} =")), "the example has no {kind} {name}");
        }
        for result in lever.sheet().unwrap().results {
            assert!(
                says(&result.name),
                "docs/simulators.md says nothing of {kind} {}",
                result.name
            );
        }
    }
}

#[test]
fn a_file_of_them_reads_back_as_it_was() {
    let levers = whole();
    let text = toml::to_string(&levers).unwrap();
    assert_eq!(toml::from_str::<Levers>(&text).unwrap(), levers);
    assert_eq!(levers.kinds().count(), LeverKind::ALL.len());
}

#[test]
fn a_scenario_without_any_has_no_word_of_them() {
    let scenario = crate::whatif::Scenario::default();
    assert!(scenario.levers.is_empty());
    assert!(!toml::to_string(&scenario).unwrap().contains("levers"));
    let wrong = toml::from_str::<Levers>("[gpu_savings]\nutilization = 0.3\n");
    assert!(wrong.unwrap_err().to_string().contains("utilization"));
}

#[test]
fn names_from_a_file_cannot_steer_a_terminal() {
    let text = "[[network.cut]]\nname = \"a\\u001b[2Jb\"\n[[rightsize.move]]\nto = \"x\\u202ey\"";
    let levers: Levers = toml::from_str(text).unwrap();
    assert_eq!(levers.network.unwrap().cuts[0].name, "a\u{FFFD}[2Jb");
    assert_eq!(levers.rightsize.unwrap().moves[0].to, "x\u{FFFD}y");
}

#[test]
fn each_has_a_sheet_with_its_arithmetic_and_finite_results() {
    let levers = whole();
    for kind in LeverKind::ALL {
        let sheet = levers.get(kind).unwrap().sheet().unwrap();
        assert_eq!(sheet.kind, kind);
        assert!(!sheet.inputs.is_empty() && !sheet.lines.is_empty(), "{kind}");
        assert!(sheet.results.first().unwrap().number.is_some(), "{kind}");
        let mut names: Vec<&str> = sheet.results.iter().map(|r| r.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), sheet.results.len(), "{kind} names a result twice");
        for sentence in &sheet.notes {
            assert!(sentence.ends_with('.'), "{sentence}");
        }
        assert!(serde_json::to_string(&sheet).unwrap().contains(kind.word()));
    }
}

#[test]
fn every_knob_sets_what_it_shows_and_nothing_else() {
    let mut levers = whole();
    for kind in LeverKind::ALL {
        let lever = levers.get_mut(kind).unwrap();
        for (at, knob) in lever.knobs().into_iter().enumerate() {
            let others = |lever: &dyn Simulator| {
                let mut all = lever.knobs();
                all.remove(at);
                all
            };
            let before = others(lever);
            assert!(
                knob.low < knob.high && knob.step > 0.0 && !knob.hint.is_empty(),
                "{}",
                knob.name
            );
            assert!(lever.set(&knob.name, Some(0.125)), "{}", knob.name);
            assert_eq!(lever.knobs()[at].value, Some(0.125), "{}", knob.name);
            assert_eq!(others(lever), before);
            assert!(lever.set(&knob.name, knob.value));
        }
        assert!(!lever.set("no_such_input", None));
        assert!(!lever.set("move.9.units", None) && !lever.set("phase.0.saving_usd", None));
    }
    assert_eq!(levers, whole());
}

#[test]
fn without_its_numbers_each_says_what_is_missing_and_where_it_is_found() {
    let mut levers = Levers::default();
    for kind in LeverKind::ALL {
        levers.add(kind);
        let error = levers.get(kind).unwrap().sheet().unwrap_err();
        let LeverError::Missing { lever, hint, .. } = &error else { panic!("{error}") };
        assert!(*lever == kind && !hint.is_empty(), "{error}");
        levers.remove(kind);
        assert!(levers.get(kind).is_none());
    }
    assert!(levers.is_empty());
}

#[test]
fn what_is_out_of_range_is_named_with_its_range() {
    let mut levers = whole();
    levers.gpu_savings.as_mut().unwrap().utilisation = Some(30.0);
    let error = levers.get(LeverKind::GpuSavings).unwrap().sheet().unwrap_err();
    assert_eq!(error.to_string(), "gpu-savings: utilisation is 3,000%; it must be from 0% to 100%");
    levers.gpu_savings.as_mut().unwrap().utilisation = Some(f64::NAN);
    assert!(levers.get(LeverKind::GpuSavings).unwrap().sheet().is_err());
    levers.unit_cost.as_mut().unwrap().usd_per_gpu_hour = Some(-1.0);
    let error = levers.get(LeverKind::UnitCost).unwrap().sheet().unwrap_err();
    assert!(error.to_string().ends_with("is -$1.00/h; it must be $0.00/h or more"), "{error}");
}

#[test]
fn words_are_set_by_name_and_clean() {
    let mut levers = whole();
    let network = levers.get_mut(LeverKind::Network).unwrap();
    for way in network::Way::ALL {
        assert!(network.set_word("flow.1.way", way.word()));
    }
    assert!(
        !network.set_word("flow.1.way", "by-post") && !network.set_word("flow.2.way", "cross-zone")
    );
    assert!(network.set_word("flow.1.name", "s3") && network.set_word("cut.2.name", "a\u{1b}b"));
    let network = levers.network.as_ref().unwrap();
    assert_eq!(
        (network.flows[0].way, network.flows[0].name.as_str()),
        (network::Way::GatewayEndpoint, "s3")
    );
    assert_eq!(network.cuts[1].name, "a\u{FFFD}b");
    // A way is written to files as it is named in commands.
    for way in network::Way::ALL {
        assert_eq!(serde_json::to_string(&way).unwrap(), format!("\"{}\"", way.word()));
    }
    for (kind, name) in [
        (LeverKind::Rightsize, "move.1.from"),
        (LeverKind::Rightsize, "move.1.to"),
        (LeverKind::Programme, "phase.1.name"),
    ] {
        let lever = levers.get_mut(kind).unwrap();
        assert!(lever.set_word(name, "a word") && !lever.set_word("x.1.name", "a word"));
    }
    assert_eq!(levers.rightsize.unwrap().moves[0].to, "a word");
    assert!(!levers.tco.as_mut().unwrap().set_word("compute_usd", "much"));
}

#[test]
fn lists_grow_and_shrink() {
    let mut levers = whole();
    let network = levers.get_mut(LeverKind::Network).unwrap();
    assert_eq!(network.lists(), [("flow", 1), ("cut", 2)]);
    assert!(network.resize("cut", true) && network.set("cut.3.share", Some(0.4)));
    assert!(network.resize("cut", false) && !network.set("cut.3.share", Some(0.4)));
    assert!(!network.resize("moves", true));
    let tco = levers.get_mut(LeverKind::Tco).unwrap();
    assert!(tco.lists().is_empty() && !tco.resize("flow", true));
}
