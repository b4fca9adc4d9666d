//! Why a file cannot be had, and what to do about it.

use std::io;

use rustix::io::Errno;

/// What burntop itself has against a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A symbolic link where a file of ours should be.
    #[error("it is a symbolic link, which is not followed")]
    Link,
    /// A pipe, a device, a socket, a directory.
    #[error("it is no regular file")]
    NotAFile,
    /// Somebody else's.
    #[error("it belongs to another user")]
    Owner,
    /// Others may change it.
    #[error("others can write to it")]
    Shared,
    /// More than is ever read of such a file.
    #[error("it is larger than {}", size(*limit))]
    TooLarge {
        /// What is read at most, bytes.
        limit: u64,
    },
    /// A file of something else, which is not written to.
    #[error("it is a file of something else")]
    Foreign,
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

/// The cause of a failure, as far as it decides what helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A symbolic link, or a loop of them.
    Link,
    /// A pipe, a device, a socket.
    NotAFile,
    /// A directory.
    Directory,
    /// Somebody else's file.
    Owner,
    /// Others may change it.
    Shared,
    /// The mode of the file or of its directory forbids it.
    Denied,
    /// The disk or a quota is full.
    Full,
    /// The file system can only be read.
    ReadOnly,
    /// It is not there, or its directory is not.
    Missing,
    /// A part of its path is no directory.
    NotADirectory,
    /// It is there already.
    Exists,
    /// Too many files are open.
    TooManyOpen,
    /// Larger than what is read, or than the system takes.
    TooLarge,
    /// A file of something else.
    Foreign,
    /// Another process holds it.
    Held,
    /// The disk fails.
    Failing,
    /// Anything else.
    Other,
}

impl Cause {
    /// The cause of what the system, or [`Refused`], said.
    pub fn of(error: &io::Error) -> Self {
        if let Some(refused) = error.get_ref().and_then(|e| e.downcast_ref::<Refused>()) {
            return match refused {
                Refused::Link => Self::Link,
                Refused::NotAFile => Self::NotAFile,
                Refused::Owner => Self::Owner,
                Refused::Shared => Self::Shared,
                Refused::TooLarge { .. } => Self::TooLarge,
                Refused::Foreign => Self::Foreign,
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

    /// What the user can do, without a full stop.
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
            Self::Held => "end the process that holds it, or wait for it",
            Self::Failing => "its disk fails: see the system's log",
            Self::Other => "see what the system said",
        }
    }
}

/// What went wrong, and what to do: for errors that end in these words.
pub fn explain(error: &io::Error) -> String {
    format!("{error}; {}", Cause::of(error).advice())
}
