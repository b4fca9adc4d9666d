//! The properties asked of `nvidia-smi`, under the names that its version knows.

use crate::domain::GpuSignal;

/// Content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Index on the host.
    Index,
    /// UUID of the GPU.
    Uuid,
    /// PCI bus id.
    Bus,
    /// Model name, free text.
    Name,
    /// Reasons for limited clocks, a bit mask.
    Throttle,
    /// `Enabled` on a partitioned GPU.
    Mig,
    /// `Yes` when a row remapping failed.
    Remap,
    /// Recovery action that the driver requests.
    Recovery,
    /// A number for this signal, in this unit.
    Value(GpuSignal, &'static str),
}

/// One property: what it is, and its names, the best first. Only the first that a version knows is
/// asked for.
struct Property {
    field: Field,
    names: &'static [&'static str],
}

const fn value(signal: GpuSignal, unit: &'static str, names: &'static [&'static str]) -> Property {
    Property { field: Field::Value(signal, unit), names }
}

/// Everything that is asked for. The model comes last: names may hold commas.
const PROPERTIES: [Property; 23] = [
    Property { field: Field::Index, names: &["index"] },
    Property { field: Field::Uuid, names: &["uuid", "gpu_uuid"] },
    Property { field: Field::Bus, names: &["pci.bus_id", "gpu_bus_id"] },
    value(GpuSignal::Util, "%", &["utilization.gpu"]),
    value(GpuSignal::MemCopy, "%", &["utilization.memory"]),
    value(GpuSignal::Enc, "%", &["utilization.encoder"]),
    value(GpuSignal::Dec, "%", &["utilization.decoder"]),
    value(GpuSignal::MemUsed, "MiB", &["memory.used"]),
    value(GpuSignal::MemTotal, "MiB", &["memory.total"]),
    // Some boards have the one, some the other: the later column fills what is not known.
    value(GpuSignal::Power, "W", &["power.draw.instant"]),
    value(GpuSignal::Power, "W", &["power.draw"]),
    value(GpuSignal::PowerLimit, "W", &["enforced.power.limit", "power.limit"]),
    value(GpuSignal::Temp, "C", &["temperature.gpu"]),
    value(GpuSignal::MemTemp, "C", &["temperature.memory"]),
    value(GpuSignal::SmClock, "MHz", &["clocks.current.sm", "clocks.sm"]),
    value(GpuSignal::SmClockMax, "MHz", &["clocks.max.sm"]),
    value(GpuSignal::MemClock, "MHz", &["clocks.current.memory", "clocks.mem"]),
    Property {
        field: Field::Throttle,
        names: &["clocks_event_reasons.active", "clocks_throttle_reasons.active"],
    },
    Property { field: Field::Mig, names: &["mig.mode.current"] },
    value(GpuSignal::EccUncorrected, "", &["ecc.errors.uncorrected.volatile.total"]),
    Property { field: Field::Remap, names: &["remapped_rows.failure"] },
    Property { field: Field::Recovery, names: &["gpu_recovery_action"] },
    Property { field: Field::Name, names: &["name", "gpu_name"] },
];

/// Columns of a query, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns(Vec<(Field, &'static str)>);

impl Columns {
    /// Columns that a version supports, from its `--help-query-gpu`. `None` when the text lists no properties.
    pub fn from_help(help: &str) -> Option<Self> {
        let names: Vec<&str> = help
            .lines()
            // `"clocks_event_reasons.active" or "clocks_throttle_reasons.active"`.
            .filter(|line| line.trim_start().starts_with('"'))
            .flat_map(|line| line.split('"').skip(1).step_by(2))
            .collect();
        let known =
            |p: &Property| p.names.iter().find(|n| names.contains(n)).map(|name| (p.field, *name));
        let chosen: Vec<_> = PROPERTIES.iter().filter_map(known).collect();
        let enough = chosen.iter().any(|(f, _)| matches!(f, Field::Uuid | Field::Index));
        enough.then_some(Self(chosen))
    }

    /// All columns under their newest names, for a version whose help cannot be read. Unknown ones are refused by name
    /// ([`Columns::without`]).
    pub fn all() -> Self {
        let newest = |p: &Property| p.names.first().map(|name| (p.field, *name));
        Self(PROPERTIES.iter().filter_map(newest).collect())
    }

    /// What a header line names: properties with their units (`utilization.gpu [%]`).
    #[cfg(test)]
    pub fn from_header(header: &str) -> (Vec<Option<Field>>, usize) {
        let fields: Vec<_> = header
            .split(',')
            .map(|column| {
                let name = column.trim().split(' ').next().unwrap_or_default();
                PROPERTIES.iter().find(|p| p.names.contains(&name)).map(|p| p.field)
            })
            .collect();
        let free = fields.iter().position(|f| *f == Some(Field::Name)).unwrap();
        (fields, free)
    }

    /// These columns without a refused property; `None` when it is not among them, or nothing would be left.
    pub fn without(&self, name: &str) -> Option<Self> {
        let left: Vec<_> = self.0.iter().copied().filter(|(_, n)| *n != name).collect();
        (left.len() < self.0.len() && !left.is_empty()).then_some(Self(left))
    }

    /// Value of `--query-gpu`.
    pub fn query(&self) -> String {
        self.0.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(",")
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Index of the free text column; `None` without one.
    pub fn free(&self) -> Option<usize> {
        self.0.iter().position(|(field, _)| *field == Field::Name)
    }

    /// Contents of the columns.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        self.0.iter().map(|(field, _)| *field)
    }

    /// True for a header line, which a tool prints that does not know `noheader`.
    pub fn is_header(&self, fields: &[String]) -> bool {
        self.0.iter().zip(fields).all(|((_, name), field)| field.starts_with(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVIDIA's tool lists them: one quoted name a line, or two with `or`, and a sentence.
    fn help(lines: &[&str]) -> String {
        let each = |line| format!("\n{line}\nA sentence that names \"temperature.gpu\" as well.\n");
        let text: String = lines.iter().map(each).collect();
        format!("List of valid properties to query for the switch \"--query-gpu=\":\n{text}")
    }

    #[test]
    fn names_follow_the_version() {
        let new = help(&[
            "\"index\"",
            "\"uuid\" or \"gpu_uuid\"",
            "\"name\" or \"gpu_name\"",
            "\"power.draw\"",
            "\"power.draw.instant\"",
            "\"clocks_event_reasons.active\" or \"clocks_throttle_reasons.active\"",
            "\"remapped_rows.failure\"",
            "\"clocks.current.sm\" or \"clocks.sm\"",
        ]);
        let new = Columns::from_help(&new).unwrap();
        assert_eq!(
            new.query(),
            "index,uuid,power.draw.instant,power.draw,clocks.current.sm,\
             clocks_event_reasons.active,remapped_rows.failure,name"
        );
        assert_eq!(new.free(), Some(new.len() - 1), "the model comes last");
        let old = help(&["\"gpu_uuid\"", "\"power.draw\"", "\"clocks_throttle_reasons.active\""]);
        let old = Columns::from_help(&old).unwrap();
        assert_eq!(old.query(), "gpu_uuid,power.draw,clocks_throttle_reasons.active");
        assert_eq!(Columns::from_help("command not found"), None);
        assert_eq!(Columns::from_help(""), None);
        let less = new.without("power.draw.instant").unwrap();
        assert!(!less.query().contains("instant") && less.len() + 1 == new.len());
        assert_eq!(new.without("no.such"), None, "nothing changes: no reason to ask again");
    }
}
