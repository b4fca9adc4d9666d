//! What `ssh` and `nvidia-smi` say when they fail, in words with something to do.

use super::target::OPERATION;
use crate::domain::{ErrorKind, SourceError, text};

/// End of a call.
#[derive(Clone, Debug, Default)]
pub(in crate::source) struct Ended {
    /// Exit status; `None` when a signal ended it.
    pub code: Option<i32>,
    /// End of standard error, and lines of standard output that were no data.
    pub said: String,
}

/// Something said, and what it means.
struct Known {
    words: &'static [&'static str],
    kind: ErrorKind,
    message: &'static str,
    fix: &'static str,
}

/// The first that fits counts.
const KNOWN: [Known; 13] = [
    Known {
        words: &["REMOTE HOST IDENTIFICATION HAS CHANGED"],
        kind: ErrorKind::Denied,
        message: "the host's key has changed",
        fix: "Find out why (a new machine under an old name, or somebody in between); then \
              `ssh-keygen -R HOST` and connect once by hand.",
    },
    Known {
        words: &["Host key verification failed", "host key is known for"],
        kind: ErrorKind::Denied,
        message: "the host's key is not known",
        fix: "Connect once by hand and compare the key, or add it to ~/.ssh/known_hosts.",
    },
    Known {
        words: &["Permission denied", "Too many authentication failures"],
        kind: ErrorKind::Denied,
        message: "the host does not let us in",
        fix: "Check user and key: `ssh -o BatchMode=yes HOST true` must work without a question.",
    },
    Known {
        words: &["Could not resolve hostname", "Name or service not known"],
        kind: ErrorKind::Network,
        message: "the name of the host is not known",
        fix: "Check the name; a private name is resolved within its VPC alone.",
    },
    Known {
        words: &["Connection timed out", "Operation timed out", "timed out", "not responding"],
        kind: ErrorKind::Timeout,
        message: "the host does not answer",
        fix: "Check security group and route to port 22, or set a ProxyJump in ~/.ssh/config.",
    },
    Known {
        words: &["Connection refused", "No route to host", "Network is unreachable"],
        kind: ErrorKind::Network,
        message: "the host cannot be reached",
        fix: "Check that sshd runs there, and security group and route to port 22.",
    },
    Known {
        words: &["Connection closed", "Connection reset", "kex_exchange", "Broken pipe"],
        kind: ErrorKind::Network,
        message: "the connection broke",
        fix: "",
    },
    Known {
        words: &["Driver/library version mismatch"],
        kind: ErrorKind::Unavailable,
        message: "the driver was updated and not loaded anew",
        fix: "Reboot the host, or load the kernel module anew.",
    },
    Known {
        words: &["communicate with the NVIDIA driver"],
        kind: ErrorKind::Unavailable,
        message: "the NVIDIA driver is not loaded",
        fix: "Load it on the host (`sudo modprobe nvidia`); `dmesg` there says why it is not.",
    },
    Known {
        words: &["No devices were found"],
        kind: ErrorKind::Unavailable,
        message: "the driver finds no GPU",
        fix: "See what `dmesg` of the host says of NVRM and Xid.",
    },
    Known {
        words: &["GPU is lost", "Unable to determine the device handle"],
        kind: ErrorKind::Unavailable,
        message: "a GPU is lost",
        fix: "Drain the host and stop and start the instance, which moves it to other hardware.",
    },
    Known {
        words: &["Insufficient Permissions"],
        kind: ErrorKind::Denied,
        message: "the user over there may not ask the driver",
        fix: "Let that user open /dev/nvidiactl.",
    },
    Known {
        words: &[
            "command not found",
            "nvidia-smi: not found",
            "Unknown command",
            "nvidia-smi: No such file",
        ],
        kind: ErrorKind::Unavailable,
        message: "nvidia-smi is not there",
        fix: "Install NVIDIA's driver on the host, or put nvidia-smi into the PATH of non- \
              interactive shells.",
    },
];

/// The exit status of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// The last known failure of that kind in the table above.
const MISSING_TOOL: usize = KNOWN.len() - 1;

/// Error that explains why a call ended.
pub(in crate::source) fn explain(ended: &Ended) -> SourceError {
    let said = |known: &Known| known.words.iter().any(|w| ended.said.contains(w));
    let missing = (ended.code == Some(NOT_FOUND)).then(|| &KNOWN[MISSING_TOOL]);
    if let Some(known) = KNOWN.iter().find(|k| said(k)).or(missing) {
        return SourceError::new(known.kind, OPERATION, known.message, known.fix);
    }
    let line = ended.said.lines().map(str::trim).find(|l| !l.is_empty());
    let message = match (line, ended.code) {
        (Some(line), _) => text::clean(line).into_owned(),
        (None, Some(0)) => "nvidia-smi said nothing".to_owned(),
        (None, Some(code)) => format!("ended with status {code}"),
        (None, None) => "was ended by a signal".to_owned(),
    };
    SourceError::new(ErrorKind::Other, OPERATION, &message, "")
}

/// Error for an `ssh` program that cannot be started.
pub(super) fn not_started(error: &std::io::Error) -> SourceError {
    let fix = if error.kind() == std::io::ErrorKind::NotFound {
        "Install an OpenSSH client, or set where it is."
    } else {
        ""
    };
    SourceError::new(
        ErrorKind::Unavailable,
        OPERATION,
        &format!("ssh cannot be started: {}", crate::files::reason(error)),
        fix,
    )
}

/// Error for a host that stopped answering.
pub(super) fn silent() -> SourceError {
    SourceError::new(
        ErrorKind::Timeout,
        OPERATION,
        "the host stopped answering",
        "See whether `nvidia-smi` hangs over there.",
    )
}

/// Error for an answer longer than `most` bytes.
pub(super) fn too_long(most: u64) -> SourceError {
    SourceError::new(
        ErrorKind::Malformed,
        OPERATION,
        &format!("the answer is longer than {} KiB, the most that is read", most >> 10),
        "See what prints so much at login over there; `nvidia-smi` itself says a few kilobytes.",
    )
}

/// Property that `nvidia-smi` refused; `None` when it ended for another reason.
pub(super) fn refused_property(said: &str) -> Option<&str> {
    // `Field "power.draw.instant" is not a valid field to query.`
    let (_, rest) = said.split_once("Field \"")?;
    let (name, rest) = rest.split_once('"')?;
    rest.trim_start().starts_with("is not a valid").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorKind as K;

    #[test]
    fn each_failure_has_its_words() {
        let kind = |code, said: &str| {
            let e = explain(&Ended { code: Some(code), said: said.to_owned() });
            (e.kind, e.message)
        };
        for (code, said, want, words) in [
            (
                255,
                "@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
                K::Denied,
                "key has changed",
            ),
            (
                255,
                "No ED25519 host key is known for 10.0.0.7 and you have requested strict checking.\nHost key verification failed.",
                K::Denied,
                "not known",
            ),
            (255, "ubuntu@10.0.0.7: Permission denied (publickey).", K::Denied, "let us in"),
            (
                255,
                "ssh: Could not resolve hostname gpu-9: Name or service not known",
                K::Network,
                "name of the host",
            ),
            (
                255,
                "ssh: connect to host 10.0.0.7 port 22: Connection timed out",
                K::Timeout,
                "does not answer",
            ),
            (
                255,
                "ssh: connect to host 10.0.0.7 port 22: Connection refused",
                K::Network,
                "cannot be reached",
            ),
            (
                255,
                "kex_exchange_identification: Connection closed by remote host",
                K::Network,
                "broke",
            ),
            (
                127,
                "bash: line 1: nvidia-smi: command not found",
                K::Unavailable,
                "nvidia-smi is not there",
            ),
            (127, "", K::Unavailable, "nvidia-smi is not there"),
            (
                9,
                "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure",
                K::Unavailable,
                "not loaded",
            ),
            (
                18,
                "Failed to initialize NVML: Driver/library version mismatch",
                K::Unavailable,
                "updated",
            ),
            (6, "No devices were found", K::Unavailable, "no GPU"),
            (
                15,
                "Unable to determine the device handle for GPU 0000:10:1C.0: GPU is lost.",
                K::Unavailable,
                "lost",
            ),
            (4, "Failed to initialize NVML: Insufficient Permissions", K::Denied, "may not ask"),
            (1, "something\u{1b}[2J else", K::Other, "something\u{FFFD}[2J else"),
            (3, "", K::Other, "status 3"),
            (0, "", K::Other, "said nothing"),
        ] {
            let (kind, message) = kind(code, said);
            assert_eq!(kind, want, "{said}");
            assert!(message.contains(words), "{said}: {message}");
        }
        assert!(KNOWN[MISSING_TOOL].message.contains("not there"));
    }

    #[test]
    fn a_refused_property_is_named() {
        let said = "Field \"power.draw.instant\" is not a valid field to query.\n";
        assert_eq!(refused_property(said), Some("power.draw.instant"));
        assert_eq!(refused_property("Field \"x"), None);
        assert_eq!(refused_property("all is well"), None);
    }
}
