//! Reads of objects, as logs tell them.

/// Largest size of an object, and most bytes of one request, bytes: 50 TB (Amazon S3, "Uploading objects").
pub const OBJECT_AT_MOST: u64 = 50_000_000_000_000;

/// What one line of a log tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadEvent {
    /// When, milliseconds since 1970.
    pub at: i64,
    /// Place of the group that it counts for, from 0.
    pub group: u32,
    /// What happened.
    pub kind: ReadKind,
    /// Hash of bucket and key; 0 of a flow.
    pub object: u64,
    /// Bytes sent, at most [`OBJECT_AT_MOST`] of a read.
    pub bytes: u64,
    /// Size of the object, bytes, at most [`OBJECT_AT_MOST`]; `None` where the log does not tell it.
    pub size: Option<u64>,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadKind {
    /// The object, or a part of it, was sent to a reader.
    Read,
    /// The object was written anew or deleted: what is kept of it is stale.
    Written,
    /// Bytes came from the service; which object they are of is not told.
    Flow,
}

/// What the rows of a list of reads are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadsBy {
    /// The whole log.
    #[default]
    All,
    /// Bucket and the first levels of the key.
    Prefix {
        /// Levels of the key, at least 1.
        depth: u8,
    },
    /// Address that the bytes went to.
    Reader,
}
