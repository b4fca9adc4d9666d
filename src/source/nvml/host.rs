//! This host: its names, and where its facts are found.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::{HostNames, text};

/// The inode of the first PID namespace (`PROC_PID_INIT_INO` in Linux' `proc_ns.h`).
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Paths of the host's files that are read besides the library.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Directory `/proc`.
    pub proc: PathBuf,
    /// File of users, `/etc/passwd`.
    pub passwd: PathBuf,
    /// Directory with the firmware's description of the machine.
    pub dmi: PathBuf,
    /// Path of `nvidia-smi`, for data that the NVML wrapper does not offer.
    pub nvidia_smi: PathBuf,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            proc: "/proc".into(),
            passwd: "/etc/passwd".into(),
            dmi: "/sys/devices/virtual/dmi/id".into(),
            nvidia_smi: "nvidia-smi".into(),
        }
    }
}

impl Places {
    /// Host name; `None` when the kernel has none.
    pub fn hostname(&self) -> Option<Arc<str>> {
        let raw = std::fs::read_to_string(self.proc.join("sys/kernel/hostname")).ok()?;
        let name = raw.trim();
        (!name.is_empty() && name != "(none)").then(|| text::clean(name).into())
    }

    /// The EC2 instance this is. Nitro puts the id where PCs have an asset tag.
    fn instance_id(&self) -> Option<Arc<str>> {
        let raw = std::fs::read_to_string(self.dmi.join("board_asset_tag")).ok()?;
        let id = raw.trim();
        let digits = id.strip_prefix("i-")?;
        let fits = matches!(digits.len(), 8 | 17)
            && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| id.into())
    }

    /// Names of the host: EC2 instance id and host name.
    pub fn names(&self) -> HostNames {
        HostNames { instance_id: self.instance_id(), node: self.hostname(), address: None }
    }

    /// True when all processes of the host are visible: within a container the driver's list lacks processes outside.
    pub fn sees_all_processes(&self) -> bool {
        std::fs::read_link(self.proc.join("self/ns/pid"))
            .is_ok_and(|link| link.as_os_str() == FIRST_PID_NAMESPACE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(tag: &str, host: &str) -> (tempfile::TempDir, Places) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("sys/kernel")).unwrap();
        std::fs::write(dir.path().join("sys/kernel/hostname"), host).unwrap();
        std::fs::write(dir.path().join("board_asset_tag"), tag).unwrap();
        let places =
            Places { proc: dir.path().into(), dmi: dir.path().into(), ..Places::default() };
        (dir, places)
    }

    #[test]
    fn an_instance_knows_its_id_and_other_machines_have_none() {
        let (_dir, nitro) = places("i-0123456789abcdef0\n", "ip-10-0-0-7\n");
        let names = nitro.names();
        assert_eq!(names.instance_id.as_deref(), Some("i-0123456789abcdef0"));
        assert_eq!(names.node.as_deref(), Some("ip-10-0-0-7"));
        for tag in ["", "Not Specified\n", "i-\n", "i-xyz\n", "i-0123456789ABCDEF0\n"] {
            assert_eq!(places(tag, "h").1.names().instance_id, None, "{tag:?}");
        }
        assert_eq!(places("", "(none)\n").1.hostname(), None);
        assert_eq!(places("", "a\u{1b}[2J\n").1.hostname().as_deref(), Some("a\u{FFFD}[2J"));
    }
}
