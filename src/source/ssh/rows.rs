//! Lines of `nvidia-smi` as samples.

use std::sync::Arc;

use super::csv;
use super::fields::{Columns, Field};
use crate::domain::{
    GpuIdentity, GpuProcess, GpuSignal, GpuSignals, HostNames, Throttle, gpu, text,
};

/// Columns of the process query; the program comes last, it is free text.
pub(super) const APPS: &str = "gpu_uuid,pid,used_memory,process_name";

/// The longest name of a program that is kept, in characters.
const MAX_COMMAND: usize = 64;

/// The words of `gpu_recovery_action`, by their number in `nvmlGpuRecoveryAction_t`.
const RECOVERY: [&str; 5] = ["None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"];

/// One GPU in a line of output.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Identity of the GPU.
    pub identity: Arc<GpuIdentity>,
    /// Measured values.
    pub signals: GpuSignals,
    /// Reasons for limited clocks; `None` when not reported.
    pub throttle: Option<Throttle>,
}

/// Parses a line of the GPU query. `None` for any other line.
pub(super) fn gpu_row(line: &str, columns: &Columns, host: &HostNames) -> Option<Row> {
    let fields = csv::split(line, columns.len(), columns.free())?;
    if columns.is_header(&fields) {
        return None;
    }
    row(columns.fields().map(Some).zip(fields.iter().map(String::as_str)), host)
}

/// Builds a row of fields and their meanings.
fn row<'a>(
    fields: impl Iterator<Item = (Option<Field>, &'a str)>,
    host: &HostNames,
) -> Option<Row> {
    let mut identity = GpuIdentity { host: host.clone(), ..GpuIdentity::default() };
    let mut signals = GpuSignals::default();
    let (mut throttle, mut reset) = (None, false);
    let clean = |t: &str| Arc::<str>::from(&*text::clean(t));
    for (field, raw) in fields {
        reset |= csv::asks_for_reset(raw);
        let Some(known) = csv::text(raw) else { continue };
        match field {
            Some(Field::Index) => identity.index = Some(known.parse().ok()?),
            Some(Field::Uuid) => identity.uuid = gpu::uuid(&clean(known)),
            Some(Field::Bus) => identity.pci_bus_id = clean(known),
            Some(Field::Name) => identity.model = clean(known),
            Some(Field::Throttle) => throttle = csv::mask(known).map(Throttle),
            Some(Field::Remap) => {
                if let Some(value) = yes_or_no(known) {
                    signals.set(GpuSignal::RemapFailure, value);
                }
            }
            Some(Field::Recovery) => {
                if let Some(action) = recovery(known) {
                    signals.set(GpuSignal::RecoveryAction, action);
                }
            }
            Some(Field::Value(signal, unit)) => {
                let scale = if unit == "%" { 0.01 } else { 1.0 };
                if let (None, Some(value)) = (signals.get(signal), csv::number(known, unit)) {
                    signals.set(signal, value * scale);
                }
            }
            // Slices have no lines of their own; that a GPU is partitioned shows in what is unknown.
            Some(Field::Mig) | None => {}
        }
    }
    if reset {
        signals.set(GpuSignal::RecoveryAction, 1.0);
    }
    let named = identity.uuid.is_some() || identity.index.is_some();
    named.then(|| Row { identity: Arc::new(identity), signals, throttle })
}

fn yes_or_no(word: &str) -> Option<f64> {
    match word {
        "Yes" | "1" => Some(1.0),
        "No" | "0" => Some(0.0),
        _ => None,
    }
}

/// The number of a recovery action, whatever stands around its words (`GPU Reset`, `Node Reboot`).
fn recovery(words: &str) -> Option<f64> {
    let at = RECOVERY.iter().rposition(|known| words.contains(known))?;
    Some(at as f64)
}

/// Parses a line of the process query: UUID of the GPU, and the process. `None` for any other line.
pub(super) fn app_row(line: &str) -> Option<(Arc<str>, GpuProcess)> {
    let fields = csv::split(line, 4, Some(3))?;
    let [id, pid, memory, name] = &fields[..] else { return None };
    let id = gpu::uuid(&text::clean(csv::text(id)?))?;
    let pid = pid.parse().ok()?;
    let mem_mib = csv::number(memory, "MiB").filter(|m| *m >= 0.0).map(|m| m as f32);
    Some((id, GpuProcess { pid, user: None, command: program(name), mem_mib, sm: None }))
}

/// The program: arguments are left out, they may hold secrets.
fn program(name: &str) -> Arc<str> {
    let Some(name) = csv::text(name) else { return "".into() };
    let path = name.split(" -").next().unwrap_or(name).trim_end();
    let base = path.rsplit('/').next().unwrap_or(path);
    let clean = text::clean(base);
    match clean.char_indices().nth(MAX_COMMAND) {
        Some((at, _)) => format!("{}…", &clean[..at]).into(),
        None => clean.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::GpuSignal as S;

    fn host() -> HostNames {
        HostNames { address: Some("gpu-1".into()), ..HostNames::default() }
    }

    /// A capture of a real card: the line of names and the line of values.
    fn capture(card: &str, state: &str) -> String {
        let dir =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gpu/nvidia-smi");
        std::fs::read_to_string(dir.join(format!("linux-x86_64__{card}__{state}.csv"))).unwrap()
    }

    /// Reads a capture of all properties by its header.
    fn read(text: &str) -> Option<Row> {
        let (header, values) = text.split_once('\n')?;
        let (fields, free) = Columns::from_header(header);
        let values = csv::split(values.trim_end(), fields.len(), Some(free))?;
        row(fields.into_iter().zip(values.iter().map(String::as_str)), &host())
    }

    #[track_caller]
    fn assert_row(card: &str, state: &str, known: &[(S, f32)], unknown: &[S], reasons: u64) {
        let row = read(&capture(card, state)).unwrap();
        for (signal, value) in known {
            let got = row.signals.get(*signal);
            assert!(got.is_some_and(|g| (g - value).abs() < 1e-3), "{card} {signal:?}: {got:?}");
        }
        for signal in unknown {
            assert_eq!(row.signals.get(*signal), None, "{card} {signal:?}");
        }
        assert_eq!(row.throttle, Some(Throttle(reasons)), "{card} {state}");
        assert_eq!(row.identity.index, Some(0));
        assert_eq!(row.identity.uuid, None, "masked in the captures");
    }

    // The expected values were read off the captures by hand. There `power.draw` comes before
    // `power.draw.instant`; our query asks the other way round.

    #[test]
    fn a_partitioned_h100_at_work_is_unknown_but_for_power() {
        assert_row(
            "nvidia-h100-mig__590.48.01",
            "load",
            &[
                (S::Power, 433.78),
                (S::PowerLimit, 700.0),
                (S::MemUsed, 11_125.0),
                (S::MemTotal, 81_559.0),
                (S::Temp, 53.0),
                (S::MemTemp, 59.0),
                (S::SmClock, 1_980.0),
                (S::SmClockMax, 1_980.0),
                (S::MemClock, 2_619.0),
                (S::EccUncorrected, 0.0),
                (S::RecoveryAction, 0.0),
            ],
            &[S::Util, S::MemCopy, S::Enc, S::Dec, S::RemapFailure],
            0,
        );
    }

    #[test]
    fn an_l40s_that_encodes_and_one_that_only_seems_busy() {
        let card = "nvidia-l40s__595.80";
        assert_row(
            card,
            "load",
            &[
                (S::Util, 0.09),
                (S::MemCopy, 0.02),
                (S::Enc, 0.60),
                (S::Dec, 0.0),
                (S::Power, 110.23),
                (S::PowerLimit, 350.0),
                (S::MemUsed, 1_235.0),
                (S::RemapFailure, 0.0),
            ],
            &[S::MemTemp],
            0,
        );
        let idle = read(&capture(card, "idle")).unwrap();
        assert_eq!(idle.signals.get(S::Util), Some(1.0), "100 % with nobody there");
        assert_eq!(idle.signals.get(S::MemUsed), Some(0.0));
    }

    #[test]
    fn an_h100_idle_and_at_work() {
        let card = "nvidia-h100-80gb-hbm3__590.48.01";
        let idle = read(&capture(card, "idle")).unwrap();
        assert_eq!((idle.signals.get(S::Util), idle.throttle), (Some(0.0), Some(Throttle(1))));
        assert_eq!(&*idle.identity.model, "NVIDIA H100 80GB HBM3");
        let load = read(&capture(card, "load")).unwrap();
        assert_eq!(load.signals.get(S::Util), Some(1.0));
        assert!(load.signals.get(S::Power).is_some_and(|w| (550.0..720.0).contains(&w)));
    }

    fn columns() -> Columns {
        let names = [
            "index",
            "uuid",
            "utilization.gpu",
            "memory.used",
            "power.draw.instant",
            "power.draw",
            "gpu_recovery_action",
            "remapped_rows.failure",
            "name",
        ];
        Columns::from_help(&names.map(|n| format!("\"{n}\"")).join("\n")).unwrap()
    }

    #[test]
    fn lines_of_a_query_are_read_in_its_order() {
        let line = "3, GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03, 97, 57344, [N/A], 612.34, No, None, \
                    NVIDIA Odd, Model";
        let row = gpu_row(line, &columns(), &host()).unwrap();
        assert_eq!(row.identity.index, Some(3));
        assert_eq!(&*row.identity.model, "NVIDIA Odd, Model");
        assert_eq!(row.identity.uuid.as_deref(), Some("GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03"));
        assert_eq!(row.signals.get(S::Power), Some(612.34), "the other column fills the gap");
        assert_eq!(row.signals.get(S::RemapFailure), Some(0.0));
        assert_eq!(row.throttle, None);
        let with_header = columns().query();
        assert_eq!(gpu_row(&with_header, &columns(), &host()), None);
        for odd in ["", "NVIDIA-SMI has failed", "No devices were found", "x, y"] {
            assert_eq!(gpu_row(odd, &columns(), &host()), None, "{odd}");
        }
    }

    #[test]
    fn a_gpu_that_wants_something_says_so() {
        let line = "0, GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03, [GPU requires reset], 0, 70, 70, \
                    No, [N/A], T4";
        let row = gpu_row(line, &columns(), &host()).unwrap();
        assert_eq!(row.signals.get(S::RecoveryAction), Some(1.0));
        assert_eq!(row.signals.get(S::Util), None);
        for (words, number) in [
            ("None", Some(0.0)),
            ("GPU Reset", Some(1.0)),
            ("Reset", Some(1.0)),
            ("Node Reboot", Some(2.0)),
            ("Reboot", Some(2.0)),
            ("Drain P2P", Some(3.0)),
            ("Drain and Reset", Some(4.0)),
            ("Something new", None),
        ] {
            assert_eq!(recovery(words), number, "{words}");
        }
    }

    #[test]
    fn processes_are_read_without_their_arguments() {
        let line = "GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03, 4242, 1024, /usr/bin/a, b --key=x";
        let (id, process) = app_row(line).unwrap();
        assert_eq!(&*id, "GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03");
        assert_eq!((process.pid, process.mem_mib), (4242, Some(1_024.0)));
        assert_eq!(&*process.command, "a, b");
        let line = "GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03, 1, [N/A], [Insufficient Permissions]";
        let (_, process) = app_row(line).unwrap();
        assert_eq!((process.mem_mib, &*process.command), (None, ""));
        for odd in ["", "gpu_uuid, pid, used_gpu_memory [MiB], process_name", "a, b, c, d"] {
            assert_eq!(app_row(odd), None, "{odd}");
        }
    }

    #[test]
    fn hostile_lines_are_told_clean() {
        use crate::domain::text::hostile::{TEXTS, said};
        for text in TEXTS {
            // A line ends at its end.
            let word = text.replace(['\n', '\r'], " ");
            let plain = capture("nvidia-l40s__595.80", "idle");
            let lines = plain.lines().map(|l| l.replace("NVIDIA", &format!("{word} NVIDIA")));
            let (header, values) = plain.split_once('\n').unwrap();
            let values = values.replace("NVIDIA L40S", &word);
            said("ssh", &format!("{:?}", read(&format!("{header}\n{values}"))));
            said("ssh", &format!("{:?}", read(&lines.collect::<Vec<_>>().join("\n"))));
            for line in [
                format!("GPU-1, 4, 5 MiB, {word}"),
                format!("{word}, 4, 5 MiB, x"),
                format!("GPU-1, 4, {word}, /usr/{word}/{word}"),
                word.clone(),
            ] {
                said("ssh", &format!("{:?}", app_row(&line)));
            }
        }
    }

    proptest! {
        /// Real lines with bytes changed, cut or doubled: never a failure, never an impossible value.
        #[test]
        fn spoilt_captures_give_possible_values_or_none(
            state in prop_oneof![Just("idle"), Just("load")],
            card in prop_oneof![
                Just("nvidia-h100-80gb-hbm3__590.48.01"),
                Just("nvidia-h100-mig__590.48.01"),
                Just("nvidia-l40s__595.80"),
            ],
            spoils in proptest::collection::vec((any::<prop::sample::Index>(), any::<char>(), 0u8..4), 1..12),
        ) {
            let text = capture(card, state);
            let (header, values) = text.split_once('\n').unwrap();
            let mut values: Vec<char> = values.chars().collect();
            for (at, c, how) in spoils {
                if values.is_empty() {
                    break;
                }
                let at = at.index(values.len());
                match how {
                    0 => values[at] = c,
                    1 => values.insert(at, c),
                    2 => { values.remove(at); }
                    _ => values.insert(at, ','),
                }
            }
            let text = format!("{header}\n{}", values.into_iter().collect::<String>());
            if let Some(row) = read(&text) {
                for (signal, value) in row.signals.iter() {
                    prop_assert!(signal.observe(f64::from(value)).is_some(), "{:?} {}", signal, value);
                }
                for shown in [&row.identity.model, &row.identity.pci_bus_id] {
                    prop_assert!(!shown.chars().any(text::is_unsafe));
                }
            }
        }
    }
}
