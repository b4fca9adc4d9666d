//! What an XID says.
//!
//! Codes and meanings: NVIDIA's XID catalogue ("Analyzing Xid Errors with the Xid Catalog"). Only those that tell an
//! operator what to do are named. Fatal are those whose immediate action in the catalogue is to reset the GPU, to restart
//! the machine or to check its hardware; a page that was retired or remapped well (63) is none.

use XidOrigin::{Application, Driver, Hardware};

/// Where an error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XidOrigin {
    /// The program that ran: the GPU is fine.
    Application,
    /// The device, its memory, its links.
    Hardware,
    /// The driver or the firmware of the device.
    Driver,
}

impl XidOrigin {
    /// The origin in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Hardware => "hardware",
            Self::Driver => "driver",
        }
    }
}

/// A known XID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xid {
    /// The code.
    pub code: u32,
    /// What happened.
    pub meaning: &'static str,
    /// Where it comes from.
    pub origin: XidOrigin,
    /// True when the GPU is not to be trusted with work before somebody has looked at it; others
    /// stay in the gauge long after the program that caused them has gone.
    pub is_fatal: bool,
}

const fn of(code: u32, origin: XidOrigin, meaning: &'static str) -> Xid {
    Xid { code, meaning, origin, is_fatal: false }
}

const fn fatal(code: u32, meaning: &'static str) -> Xid {
    Xid { code, meaning, origin: Hardware, is_fatal: true }
}

const TABLE: [Xid; 33] = [
    of(13, Application, "graphics engine exception"),
    of(31, Application, "GPU memory page fault"),
    of(32, Driver, "invalid or corrupted push buffer"),
    of(38, Driver, "driver firmware error"),
    of(43, Application, "GPU stopped processing, its program at fault"),
    of(45, Application, "work cleaned up after an earlier error or a killed program"),
    fatal(46, "GPU stopped processing and did not recover"),
    fatal(48, "double-bit ECC error"),
    of(61, Driver, "internal micro-controller breakpoint"),
    fatal(62, "internal micro-controller halted"),
    of(63, Hardware, "memory page retired or row remapped, as it should be"),
    fatal(64, "page retirement or row remapping failed"),
    of(68, Application, "video decoder exception"),
    of(69, Application, "graphics engine class error"),
    fatal(74, "NVLink error"),
    fatal(79, "GPU has fallen off the bus"),
    of(92, Hardware, "high rate of single-bit ECC errors"),
    of(94, Hardware, "contained ECC error: the program must restart"),
    fatal(95, "uncontained ECC error: the GPU must be reset"),
    of(109, Driver, "context switch timed out"),
    fatal(119, "GPU system processor timed out"),
    fatal(120, "GPU system processor error"),
    of(121, Hardware, "chip-to-chip link error"),
    fatal(140, "unrecovered ECC error"),
    fatal(143, "GPU failed to initialise"),
    fatal(144, "NVLink: system-level interface error"),
    fatal(145, "NVLink: receive logic error"),
    fatal(146, "NVLink: transmit logic error"),
    fatal(147, "NVLink: control logic error"),
    fatal(148, "NVLink: receive queue error"),
    fatal(149, "NVLink: link error"),
    fatal(150, "NVLink: message system error"),
    of(154, Hardware, "the driver asks for a recovery action"),
];

/// The XID with this code; `None` for 0 and for codes that are not named here.
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

    #[test]
    fn what_the_catalogue_has_a_gpu_reset_for_is_fatal() {
        let is_fatal = |code| xid(code).is_some_and(|x| x.is_fatal);
        let fatal =
            [46, 48, 62, 64, 74, 79, 95, 119, 120, 140, 143, 144, 145, 146, 147, 148, 149, 150];
        assert!(fatal.into_iter().all(is_fatal));
        assert!(![13, 31, 43, 45, 63, 92, 94].into_iter().any(is_fatal));
    }
}
