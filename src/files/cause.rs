//! Why a file cannot be had, and what to do about it.

use std::io;

use rustix::io::Errno;

use crate::domain::text::without_errno;

/// Reason for burntop to refuse a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A symbolic link in place of a file of burntop's own.
    #[error("it is a symbolic link, which is not followed")]
    Link,
    /// Not a regular file: a pipe, device, socket or directory.
    #[error("it is no regular file")]
    NotAFile,
    /// A file of another user.
    #[error("it belongs to another user")]
    Owner,
    /// A file that other users can write to.
    #[error("others can write to it")]
    Shared,
    /// Larger than the limit for such a file.
    #[error("it is larger than {}", size(*limit))]
    TooLarge {
        /// Limit in bytes.
        limit: u64,
    },
    /// A file of another program, which is not overwritten.
    #[error("it is a file of something else")]
    Foreign,
    /// Not text in UTF-8.
    #[error("it is no text (UTF-8)")]
    NoText,
    /// Another process holds its lock.
    #[error("another process holds it and does not let go")]
    Held,
}

/// A limit in words: whole MiB where it is that.
fn size(limit: u64) -> String {
    match limit % (1 << 20) {
        0 if limit > 0 => format!("{} MiB", limit >> 20),
        _ => format!("{limit} bytes"),
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::other(refused)
    }
}

/// Cause of a failure, from which the advice follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A symbolic link, or a loop of them.
    Link,
    /// A pipe, a device or a socket.
    NotAFile,
    /// A directory in place of a file.
    Directory,
    /// A file of another user.
    Owner,
    /// A file that other users can write to.
    Shared,
    /// The permissions of the file or its directory forbid it.
    Denied,
    /// The disk or a quota is full.
    Full,
    /// The file system is read-only.
    ReadOnly,
    /// The file or its directory does not exist.
    Missing,
    /// A part of the path is no directory.
    NotADirectory,
    /// The file already exists.
    Exists,
    /// The limit of open files is reached.
    TooManyOpen,
    /// Larger than the limit of burntop or of the file system.
    TooLarge,
    /// A file of another program.
    Foreign,
    /// Not text in UTF-8.
    NoText,
    /// Another process holds its lock.
    Held,
    /// The disk reports input or output errors.
    Failing,
    /// Any other cause.
    Other,
}

impl Cause {
    /// Cause of an error of the system or of a [`Refused`].
    pub fn of(error: &io::Error) -> Self {
        if let Some(refused) = error.get_ref().and_then(|e| e.downcast_ref::<Refused>()) {
            return match refused {
                Refused::Link => Self::Link,
                Refused::NotAFile => Self::NotAFile,
                Refused::Owner => Self::Owner,
                Refused::Shared => Self::Shared,
                Refused::TooLarge { .. } => Self::TooLarge,
                Refused::Foreign => Self::Foreign,
                Refused::NoText => Self::NoText,
                Refused::Held => Self::Held,
            };
        }
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::LOOP) => Self::Link,
            Some(Errno::ACCESS | Errno::PERM) => Self::Denied,
            Some(Errno::NOSPC | Errno::DQUOT) => Self::Full,
            Some(Errno::ROFS) => Self::ReadOnly,
            Some(Errno::NOENT) => Self::Missing,
            Some(Errno::NOTDIR) => Self::NotADirectory,
            Some(Errno::ISDIR) => Self::Directory,
            Some(Errno::EXIST) => Self::Exists,
            Some(Errno::MFILE | Errno::NFILE) => Self::TooManyOpen,
            Some(Errno::FBIG) => Self::TooLarge,
            Some(Errno::NXIO | Errno::NODEV) => Self::NotAFile,
            Some(Errno::AGAIN | Errno::BUSY | Errno::TXTBSY) => Self::Held,
            Some(Errno::IO) => Self::Failing,
            Some(_) => Self::Other,
            None => match error.kind() {
                io::ErrorKind::PermissionDenied => Self::Denied,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
                io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
                io::ErrorKind::NotFound => Self::Missing,
                io::ErrorKind::NotADirectory => Self::NotADirectory,
                io::ErrorKind::IsADirectory => Self::Directory,
                io::ErrorKind::AlreadyExists => Self::Exists,
                io::ErrorKind::FileTooLarge => Self::TooLarge,
                io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock => Self::Held,
                _ => Self::Other,
            },
        }
    }

    /// Advice for the user, without a full stop.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Link => "name the file itself, or move the link away",
            Self::NotAFile => "name a regular file, or move what is there away",
            Self::Directory => "it is a directory: name a file, or move it away",
            Self::Owner => "make it yours (chown), or move it away",
            Self::Shared => {
                "look at what is in it, then take the right to write from others (chmod go-w)"
            }
            Self::Denied => {
                "give this user the right to read and write it, and to enter its directory"
            }
            Self::Full => "free space on its disk, or raise the quota",
            Self::ReadOnly => "its file system can only be read: name a place that can be written",
            Self::Missing => "check the name, and that its directory is there",
            Self::NotADirectory => "a part of its path is no directory: check the path",
            Self::Exists => "name a new file, or move this one away",
            Self::TooManyOpen => "end other programs, or raise the limit of open files (ulimit -n)",
            Self::TooLarge => "name a smaller file: this is none that burntop could use",
            Self::Foreign => "name another file: this one stays as it is",
            Self::NoText => "save it as text in UTF-8, or name another file",
            Self::Held => "end the process that holds it, or wait for it",
            Self::Failing => "its disk fails: see the system's log",
            Self::Other => "see what the system said",
        }
    }
}

/// The error in words, without the number that the system has for it.
pub fn reason(error: &io::Error) -> String {
    let said = error.to_string();
    let words = without_errno(&said);
    if words == said {
        return said;
    }
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// Error and advice in one clause, for the end of a message.
pub fn explain(error: &io::Error) -> String {
    format!("{}; {}", reason(error), Cause::of(error).advice())
}
