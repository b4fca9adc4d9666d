//! Meanings of XID codes, the driver's reports of GPU errors.
//!
//! Codes and meanings: NVIDIA's XID catalogue ("Analyzing Xid Errors with the Xid Catalog"). Only those that tell an
//! operator what to do are named. Fatal are those whose immediate action in the catalogue is to reset the GPU, to restart
//! the virtual or the whole machine or to check the hardware, without exception; a page that was retired or remapped well
//! (63) is none.

use Bucket::{
    CheckHardware, Ignore, ResetGpu, RestartApp, RestartMachine, RestartVm, SeeElsewhere,
};
use XidOrigin::{Application, Driver, Hardware};

/// Origin of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XidOrigin {
    /// The program on the GPU; the GPU itself is fine.
    Application,
    /// The device, its memory, its links.
    Hardware,
    /// The driver or the firmware of the device.
    Driver,
}

impl XidOrigin {
    /// Label of the origin.
    pub fn word(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Hardware => "hardware",
            Self::Driver => "driver",
        }
    }
}

/// An XID error that burntop knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xid {
    /// XID code.
    pub code: u32,
    /// What happened, a clause.
    pub meaning: &'static str,
    /// Where the error comes from.
    pub origin: XidOrigin,
    /// True when the GPU must be reset, restarted or checked before it is trusted with work. Other codes stay in the
    /// gauge long after the program that caused them has ended.
    pub is_fatal: bool,
}

/// Immediate action of the catalogue (its "resolution bucket").
#[derive(Clone, Copy)]
enum Bucket {
    /// `IGNORE`.
    Ignore,
    /// `RESTART_APP`.
    RestartApp,
    /// `RESET_GPU`.
    ResetGpu,
    /// `RESTART_VM`.
    RestartVm,
    /// `RESTART_BM`: the whole machine.
    RestartMachine,
    /// `WORKFLOW_XID_48`, `WORKFLOW_NVLINK_ERR` and `WORKFLOW_NVLINK5_ERR`: procedures that check the hardware or reset
    /// it.
    CheckHardware,
    /// `CONTACT_SUPPORT`, and those that lead to another XID: `WORKFLOW_XID_45`, `XID_154`.
    SeeElsewhere,
}

const fn of(code: u32, bucket: Bucket, origin: XidOrigin, meaning: &'static str) -> Xid {
    let is_fatal = matches!(bucket, ResetGpu | RestartVm | RestartMachine | CheckHardware);
    Xid { code, meaning, origin, is_fatal }
}

const TABLE: [Xid; 39] = [
    of(13, RestartApp, Application, "graphics engine exception"),
    of(31, RestartApp, Application, "GPU memory page fault"),
    of(32, RestartApp, Driver, "invalid or corrupted push buffer"),
    of(38, Ignore, Driver, "driver firmware error"),
    of(43, Ignore, Application, "GPU stopped processing, its program at fault"),
    of(45, SeeElsewhere, Application, "work cleaned up after an earlier error or a killed program"),
    of(46, ResetGpu, Hardware, "GPU stopped processing and did not recover"),
    of(48, CheckHardware, Hardware, "double-bit ECC error"),
    of(61, SeeElsewhere, Driver, "internal micro-controller breakpoint"),
    of(62, ResetGpu, Hardware, "internal micro-controller halted"),
    of(63, Ignore, Hardware, "memory page retired or row remapped, as it should be"),
    of(64, ResetGpu, Hardware, "page retirement or row remapping failed"),
    of(68, RestartApp, Application, "video decoder exception"),
    of(69, RestartApp, Application, "graphics engine class error"),
    of(74, CheckHardware, Hardware, "NVLink error"),
    of(79, RestartMachine, Hardware, "GPU has fallen off the bus"),
    of(92, Ignore, Hardware, "high rate of single-bit ECC errors"),
    of(94, RestartApp, Hardware, "contained ECC error: the program must restart"),
    of(95, ResetGpu, Hardware, "uncontained ECC error: the GPU must be reset"),
    of(109, ResetGpu, Driver, "context switch timed out"),
    of(110, ResetGpu, Driver, "security fault"),
    of(119, ResetGpu, Hardware, "GPU system processor timed out"),
    of(120, ResetGpu, Hardware, "GPU system processor error"),
    of(121, Ignore, Hardware, "chip-to-chip link error"),
    of(136, ResetGpu, Hardware, "NVLink: link training failed"),
    of(140, ResetGpu, Hardware, "unrecovered ECC error"),
    of(143, ResetGpu, Hardware, "GPU failed to initialise"),
    of(144, CheckHardware, Hardware, "NVLink: system-level interface error"),
    of(145, CheckHardware, Hardware, "NVLink: receive logic error"),
    of(146, CheckHardware, Hardware, "NVLink: transmit logic error"),
    of(147, CheckHardware, Hardware, "NVLink: control logic error"),
    of(148, CheckHardware, Hardware, "NVLink: receive queue error"),
    of(149, CheckHardware, Hardware, "NVLink: link error"),
    of(150, CheckHardware, Hardware, "NVLink: message system error"),
    of(151, RestartVm, Driver, "key rotation failed: the machine must restart"),
    of(154, SeeElsewhere, Hardware, "the driver asks for a recovery action"),
    of(155, ResetGpu, Driver, "NVLink: taken down by software, the GPU must be reset"),
    of(156, ResetGpu, Hardware, "a part was retired: the GPU must be reset"),
    of(158, ResetGpu, Hardware, "fatal timeout of the GPU"),
];

/// The XID error with this code; `None` for 0 and codes without an entry.
pub fn xid(code: u32) -> Option<Xid> {
    TABLE.iter().copied().find(|x| x.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        assert!(TABLE.windows(2).all(|w| w[0].code < w[1].code));
        assert_eq!(xid(0), None);
        for (code, origin) in [
            (13, Application),
            (31, Application),
            (43, Application),
            (48, Hardware),
            (62, Hardware),
            (64, Hardware),
            (74, Hardware),
            (79, Hardware),
            (95, Hardware),
            (119, Hardware),
            (120, Hardware),
        ] {
            assert_eq!(xid(code).map(|x| x.origin), Some(origin), "{code}");
        }
    }

    /// The catalogue of 2025-10-29, by immediate action; what it says to ignore, to restart the program for or to ask
    /// support about is not fatal.
    #[test]
    fn what_the_catalogue_has_a_reset_or_a_restart_for_is_fatal() {
        let is_fatal = |code| xid(code).is_some_and(|x| x.is_fatal);
        let reset = [46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158].into_iter();
        let (restart, workflows) = ([79, 151], [48, 74, 144, 145, 146, 147, 148, 149, 150]);
        let mut fatal: Vec<u32> = reset.chain(restart).chain(workflows).collect();
        fatal.sort_unstable();
        let ours: Vec<u32> = TABLE.iter().filter(|x| x.is_fatal).map(|x| x.code).collect();
        assert_eq!(ours, fatal);
        let ignore = [38, 43, 63, 92, 121, 137, 157, 160, 161];
        let restart_app = [13, 31, 32, 68, 69, 94];
        assert!(!ignore.into_iter().chain(restart_app).any(is_fatal));
    }

    #[test]
    fn the_page_names_the_fatal_ones() {
        let page = include_str!("../../../docs/gpus.md");
        let said = page.split("a hardware error (XID ").nth(1).unwrap().split(')').next().unwrap();
        let named: Vec<u32> = said
            .split(", ")
            .flat_map(|part| {
                let (from, to) = part.split_once('–').unwrap_or((part, part));
                from.parse().unwrap()..=to.parse().unwrap()
            })
            .collect();
        let ours: Vec<u32> = TABLE.iter().filter(|x| x.is_fatal).map(|x| x.code).collect();
        assert_eq!(named, ours);
    }
}
