//! What a line tells, whatever the format.

/// A format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Server access logs of S3.
    S3,
    /// Data events of `CloudTrail`.
    CloudTrail,
    /// Flow logs of a VPC.
    Flow,
}

/// What a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told<'a> {
    /// An object, or a part of it, was sent.
    Read(ObjectTold<'a>),
    /// An object was written anew or deleted.
    Written(ObjectTold<'a>),
    /// Bytes came from S3.
    Flow {
        /// When, milliseconds since 1970.
        at: i64,
        /// Address that they went to.
        reader: &'a [u8],
        /// Their number.
        bytes: u64,
    },
    /// None of these.
    Other(Other),
}

/// What is told of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectTold<'a> {
    /// When, milliseconds since 1970.
    pub at: i64,
    /// Its bucket.
    pub bucket: &'a [u8],
    /// Its key.
    pub key: &'a [u8],
    /// Address of who asked.
    pub reader: &'a [u8],
    /// Bytes sent.
    pub bytes: u64,
    /// Its size; `None` where the log does not tell it.
    pub size: Option<u64>,
}

/// What a line is that tells of no read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// A read of an object that did not succeed: refused, not there, not modified.
    Unsuccessful,
    /// What an object is was asked, not its content.
    Head,
    /// Lists, settings, parts of uploads, other services.
    Request,
    /// Bytes of another service than S3, or to it, or that were seen on their way out of an interface.
    Flow,
}

/// Numbers of lines that tell of no read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Reads of objects that did not succeed: refused, not there, not modified.
    pub unsuccessful: u64,
    /// Requests for what an object is, not for its content.
    pub heads: u64,
    /// Objects written anew or deleted.
    pub written: u64,
    /// Lists, settings, parts of uploads, other services.
    pub requests: u64,
    /// Flows of other services than S3, or to it.
    pub flows: u64,
}

impl LeftOut {
    pub(super) fn count(&mut self, other: Other) {
        match other {
            Other::Unsuccessful => self.unsuccessful += 1,
            Other::Head => self.heads += 1,
            Other::Request => self.requests += 1,
            Other::Flow => self.flows += 1,
        }
    }
}
