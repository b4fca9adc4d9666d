//! Which GPU instance a MIG device belongs to: the wrapper has no function for it, NVIDIA's own
//! tool says it.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// GPU instance ids by PCI bus id (lower case) and index of the MIG device.
pub(super) type Instances = HashMap<(String, u32), u32>;

/// Reads the ids with `nvidia-smi`; empty when it is missing or prints none.
pub(super) fn instances(program: &Path) -> Instances {
    let output = Command::new(program)
        .args(["-q", "-x"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map(|o| o.stdout)
        .unwrap_or_default();
    read(&String::from_utf8_lossy(&output))
}

/// Reads the tool's XML, which has one element a line.
fn read(xml: &str) -> Instances {
    let mut found = Instances::new();
    let (mut bus, mut inside, mut index) = (String::new(), false, None);
    for line in xml.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("<gpu id=\"") {
            bus = rest.split('"').next().unwrap_or_default().to_ascii_lowercase();
        } else if line == "<mig_device>" {
            (inside, index) = (true, None);
        } else if line == "</mig_device>" {
            inside = false;
        } else if inside {
            if let Some(value) = element(line, "index") {
                // Lists within a device count as well; the device's own index comes first.
                index = index.or(Some(value));
            } else if let (Some(gi), Some(at)) = (element(line, "gpu_instance_id"), index) {
                found.entry((bus.clone(), at)).or_insert(gi);
            }
        }
    }
    found
}

fn element(line: &str, name: &str) -> Option<u32> {
    let rest = line.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    rest.split('<').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_told_apart_by_gpu_and_index() {
        let xml = r#"<nvidia_smi_log>
            <gpu id="00000000:00:1E.0">
              <mig_devices>
                <mig_device>
                  <index>0</index>
                  <gpu_instance_id>2</gpu_instance_id>
                  <compute_instance_id>0</compute_instance_id>
                </mig_device>
                <mig_device>
                  <index>2</index>
                  <gpu_instance_id>9</gpu_instance_id>
                </mig_device>
              </mig_devices>
              <processes>
                <process_info>
                  <gpu_instance_id>5</gpu_instance_id>
                </process_info>
              </processes>
            </gpu>
            <gpu id="00000000:00:1F.0">
              <mig_devices>
                <mig_device>
                  <index>0</index>
                  <gpu_instance_id>N/A</gpu_instance_id>
                </mig_device>
              </mig_devices>
            </gpu>"#;
        let found = read(xml);
        let at = |bus: &str, index| found.get(&(bus.to_owned(), index)).copied();
        assert_eq!(at("00000000:00:1e.0", 0), Some(2));
        assert_eq!(at("00000000:00:1e.0", 2), Some(9));
        assert_eq!(found.len(), 2);
        assert!(instances(Path::new("/nonexistent/nvidia-smi")).is_empty());
    }
}
