//! Members of a zip archive, unpacked as a stream. Their list stands at the end of the file; what it says of sizes is
//! checked against what comes out.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

use flate2::Crc;
use flate2::read::DeflateDecoder;

/// Most members of an archive.
const MEMBERS_AT_MOST: u64 = 10_000;

/// Most bytes of the list of members.
const LIST_AT_MOST: u64 = 4 << 20;

/// Longest end of an archive: a record of 22 bytes and a comment.
const END_AT_MOST: u64 = 22 + 65_535;

/// Bytes of a member that are read at a time.
const BLOCK: usize = 1 << 18;

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Where its header begins.
    pub offset: u64,
    deflated: bool,
    packed: u64,
    unpacked: u64,
    crc: u32,
}

/// Members of the archive in `file`, of `bytes` bytes, but for folders. Err says what is wrong with it.
pub(super) fn members(file: &File, bytes: u64) -> Result<Vec<Member>, String> {
    let tail_at = bytes.saturating_sub(END_AT_MOST);
    let tail = bytes_at(file, tail_at, bytes - tail_at)?;
    let end =
        (0..tail.len().saturating_sub(21)).rev().find(|at| tail[*at..].starts_with(b"PK\x05\x06"));
    let end = end.ok_or("the zip archive has no end; it is cut off")?;
    let record = &tail[end..];
    let mut list = (u64::from(u32_at(record, 12)?), u64::from(u32_at(record, 16)?));
    let mut count = u64::from(u16_at(record, 10)?);
    // Archives beyond 4 GiB say more in a record before.
    let locator = end.checked_sub(20).and_then(|at| tail.get(at..end));
    if let Some(locator) = locator.filter(|l| l.starts_with(b"PK\x06\x07")) {
        let record = bytes_at(file, u64_at(locator, 8)?, 56)?;
        if !record.starts_with(b"PK\x06\x06") {
            return Err("the zip archive has no end; it is cut off".into());
        }
        count = u64_at(&record, 32)?;
        list = (u64_at(&record, 40)?, u64_at(&record, 48)?);
    }
    if count > MEMBERS_AT_MOST || list.0 > LIST_AT_MOST {
        return Err(format!(
            "the zip archive has {count} members, at most {MEMBERS_AT_MOST} are read"
        ));
    }
    let list = bytes_at(file, list.1, list.0)?;
    let mut rest = &list[..];
    let mut members = vec![];
    for _ in 0..count {
        let (member, length) = member(rest)?;
        members.extend(member);
        rest = rest.get(length..).ok_or("the list of the zip archive is cut off")?;
    }
    Ok(members)
}

/// The member that `list` begins with, but for a folder, and the length of its entry.
fn member(list: &[u8]) -> Result<(Option<Member>, usize), String> {
    if !list.starts_with(b"PK\x01\x02") {
        return Err("the list of the zip archive is damaged".into());
    }
    let (name, extra, comment) = (u16_at(list, 28)?, u16_at(list, 30)?, u16_at(list, 32)?);
    let [name, extra, comment] = [name, extra, comment].map(usize::from);
    let length = 46 + name + extra + comment;
    let name_text = list.get(46..46 + name).ok_or("the list of the zip archive is cut off")?;
    if name_text.ends_with(b"/") {
        return Ok((None, length));
    }
    if u16_at(list, 8)? & 1 != 0 {
        return Err("the zip archive is encrypted".into());
    }
    let deflated = match u16_at(list, 10)? {
        0 => false,
        8 => true,
        other => return Err(format!("a member of the zip archive is packed by method {other}")),
    };
    let mut sizes = [u32_at(list, 24)?, u32_at(list, 20)?, u32_at(list, 42)?].map(u64::from);
    let extra = list.get(46 + name..46 + name + extra).unwrap_or_default();
    widen(&mut sizes, extra)?;
    let [unpacked, packed, offset] = sizes;
    Ok((Some(Member { offset, deflated, packed, unpacked, crc: u32_at(list, 16)? }), length))
}

/// Replaces what does not fit in 32 bits by the 64 bits that the extra field of an entry has for it, in this order.
fn widen(sizes: &mut [u64; 3], mut extra: &[u8]) -> Result<(), String> {
    while extra.len() >= 4 {
        let (kind, length) = (u16_at(extra, 0)?, usize::from(u16_at(extra, 2)?));
        let field = extra.get(4..4 + length).ok_or("the list of the zip archive is damaged")?;
        if kind == 1 {
            let mut at = 0;
            for size in sizes.iter_mut().filter(|size| **size == u64::from(u32::MAX)) {
                *size = u64_at(field, at)?;
                at += 8;
            }
        }
        extra = &extra[4 + length..];
    }
    Ok(())
}

/// Reads a member.
pub(super) fn open(file: &File, member: &Member) -> Result<impl Read, String> {
    let header = bytes_at(file, member.offset, 30)?;
    if !header.starts_with(b"PK\x03\x04") {
        return Err("a member of the zip archive has no header".into());
    }
    let names = u64::from(u16_at(&header, 26)?) + u64::from(u16_at(&header, 28)?);
    let file = file.try_clone().map_err(|e| crate::files::reason(&e))?;
    let packed = At { file, at: member.offset + 30 + names, left: member.packed };
    let packed = BufReader::with_capacity(BLOCK, packed);
    let unpacked: Box<dyn Read> =
        if member.deflated { Box::new(DeflateDecoder::new(packed)) } else { Box::new(packed) };
    Ok(Checked { unpacked, crc: Crc::new(), read: 0, member: member.clone() })
}

/// A part of a file.
struct At {
    file: File,
    at: u64,
    left: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.file.read_at(&mut buffer[..most], self.at)?;
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

/// A member whose size and sum are compared with the list at its end.
struct Checked {
    unpacked: Box<dyn Read>,
    crc: Crc,
    read: u64,
    member: Member,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacked.read(buffer)?;
        self.crc.update(&buffer[..read]);
        self.read += read as u64;
        let ends = read == 0 && !buffer.is_empty();
        let differs = self.read != self.member.unpacked || self.crc.sum() != self.member.crc;
        if self.read > self.member.unpacked || ends && differs {
            let words = "a member of the zip archive is not what its list says";
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        }
        Ok(read)
    }
}

fn bytes_at(file: &File, at: u64, length: u64) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; usize::try_from(length.min(LIST_AT_MOST)).unwrap_or(0)];
    match file.read_exact_at(&mut bytes, at) {
        Ok(()) => Ok(bytes),
        Err(_) => Err("the zip archive is cut off".into()),
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], String> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied();
    found.ok_or_else(|| "the zip archive is damaged".into())
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, String> {
    array(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, String> {
    array(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, String> {
    array(bytes, at).map(u64::from_le_bytes)
}
