//! What is in a bucket: objects, versions, uploads never completed, and objects themselves.

use std::ops::Range;
use std::sync::Arc;

use aws_sdk_s3::types as s3;
use aws_smithy_types::DateTime;
use jiff::Timestamp;

use super::calls::{
    GET_OBJECT, LIST_MULTIPART_UPLOADS, LIST_OBJECT_VERSIONS, LIST_OBJECTS_V2, LIST_PARTS,
};
use super::limit::Api;
use super::{AwsProvider, error, time};
use crate::domain::storage::{Etag, ObjectBatch, ObjectFlags, Tier};
use crate::domain::{ErrorKind, SourceError};
use crate::source::inventory::MANIFEST_AT_MOST;
use crate::source::pages::Pages;
use crate::source::storage::{ListPlace, ListToken, Name, ObjectBytes, Upload};

/// S3's largest object, 50 TB (S3 user guide): a list that says more is wrong.
const MAX_BYTES: i64 = 50 * 1_000_000_000_000;

/// S3 began on 14 March 2006: nothing in it is older.
const FIRST_MS: i64 = 1_136_073_600_000;

/// Reads one page of current objects into `into`; returns the token of the next page, `None` after the last. Err when
/// the call fails.
pub async fn objects(
    aws: &AwsProvider,
    at: ListPlace<'_>,
    token: Option<ListToken>,
    into: &mut ObjectBatch,
) -> Result<Option<ListToken>, SourceError> {
    let client = aws.clients().await.s3(at.region);
    let _permit = aws.enter(Api::S3Data, at.region, 0).await;
    let page = client
        .list_objects_v2()
        .bucket(at.bucket)
        .set_prefix(prefix(at))
        .encoding_type(s3::EncodingType::Url)
        .set_continuation_token(token.map(|t| t.at))
        .send()
        .await
        .map_err(|e| aws.bucket_failed(&LIST_OBJECTS_V2, at.region, at.bucket, &e))?;
    let escaped = page.encoding_type() == Some(&s3::EncodingType::Url);
    let now = (aws.now)();
    for object in page.contents() {
        let row = Row {
            key: object.key(),
            bytes: object.size(),
            modified: object.last_modified(),
            class: object.storage_class().map_or("", |c| c.as_str()),
            etag: object.e_tag(),
            version: None,
            flags: 0,
        };
        row.append(escaped, now, into);
    }
    let truncated = page.is_truncated() == Some(true);
    next(aws, at, &LIST_OBJECTS_V2, truncated, page.next_continuation_token, None)
}

/// Reads one page of versions and delete markers into `into`; returns the token of the next page, `None` after the
/// last. Err when the call fails.
pub async fn versions(
    aws: &AwsProvider,
    at: ListPlace<'_>,
    token: Option<ListToken>,
    into: &mut ObjectBatch,
) -> Result<Option<ListToken>, SourceError> {
    let client = aws.clients().await.s3(at.region);
    let _permit = aws.enter(Api::S3Data, at.region, 0).await;
    let (key, id) = token.map_or((None, None), |t| (Some(t.at), t.id));
    let page = client
        .list_object_versions()
        .bucket(at.bucket)
        .set_prefix(prefix(at))
        .encoding_type(s3::EncodingType::Url)
        .set_key_marker(key)
        .set_version_id_marker(id)
        .send()
        .await
        .map_err(|e| aws.bucket_failed(&LIST_OBJECT_VERSIONS, at.region, at.bucket, &e))?;
    let escaped = page.encoding_type() == Some(&s3::EncodingType::Url);
    let now = (aws.now)();
    // Without the word of S3 a version counts as the current one: that is "in use".
    let noncurrent = |latest: Option<bool>| match latest {
        Some(false) => ObjectFlags::NONCURRENT,
        _ => 0,
    };
    for object in page.versions() {
        let row = Row {
            key: object.key(),
            bytes: object.size(),
            modified: object.last_modified(),
            class: object.storage_class().map_or("", |c| c.as_str()),
            etag: object.e_tag(),
            version: Some(object.version_id().unwrap_or_default()),
            flags: noncurrent(object.is_latest()),
        };
        row.append(escaped, now, into);
    }
    for marker in page.delete_markers() {
        let row = Row {
            key: marker.key(),
            bytes: Some(0),
            modified: marker.last_modified(),
            class: "",
            etag: None,
            version: Some(marker.version_id().unwrap_or_default()),
            flags: ObjectFlags::DELETE_MARKER | noncurrent(marker.is_latest()),
        };
        row.append(escaped, now, into);
    }
    let truncated = page.is_truncated() == Some(true);
    let key = page.next_key_marker.map(|m| unescaped_text(&m, escaped));
    next(aws, at, &LIST_OBJECT_VERSIONS, truncated, key, page.next_version_id_marker)
}

/// One page of the names directly under a prefix, with the token of the next page; `None` after the last. Err when the
/// call fails.
pub async fn names(
    aws: &AwsProvider,
    at: ListPlace<'_>,
    token: Option<ListToken>,
) -> Result<(Vec<Name>, Option<ListToken>), SourceError> {
    let client = aws.clients().await.s3(at.region);
    let _permit = aws.enter(Api::S3Data, at.region, 0).await;
    let page = client
        .list_objects_v2()
        .bucket(at.bucket)
        .set_prefix(prefix(at))
        .delimiter("/")
        .encoding_type(s3::EncodingType::Url)
        .set_continuation_token(token.map(|t| t.at))
        .send()
        .await
        .map_err(|e| aws.bucket_failed(&LIST_OBJECTS_V2, at.region, at.bucket, &e))?;
    let escaped = page.encoding_type() == Some(&s3::EncodingType::Url);
    let prefixes = page.common_prefixes().iter().filter_map(s3::CommonPrefix::prefix);
    let mut out: Vec<Name> = prefixes.map(|p| Name::Prefix(unescaped(p, escaped))).collect();
    out.extend(page.contents().iter().filter_map(|object| {
        Some(Name::Object {
            key: unescaped(object.key()?, escaped),
            bytes: object.size().and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
            modified: object.last_modified().and_then(time::from_sdk),
        })
    }));
    let truncated = page.is_truncated() == Some(true);
    let next = next(aws, at, &LIST_OBJECTS_V2, truncated, page.next_continuation_token, None)?;
    Ok((out, next))
}

/// One page of incomplete multipart uploads, with the token of the next page; `None` after the last. Err when the call
/// fails.
pub async fn uploads(
    aws: &AwsProvider,
    at: ListPlace<'_>,
    token: Option<ListToken>,
) -> Result<(Vec<Upload>, Option<ListToken>), SourceError> {
    let client = aws.clients().await.s3(at.region);
    let _permit = aws.enter(Api::S3Data, at.region, 0).await;
    let (key, id) = token.map_or((None, None), |t| (Some(t.at), t.id));
    let page = client
        .list_multipart_uploads()
        .bucket(at.bucket)
        .set_prefix(prefix(at))
        .encoding_type(s3::EncodingType::Url)
        .set_key_marker(key)
        .set_upload_id_marker(id)
        .send()
        .await
        .map_err(|e| aws.bucket_failed(&LIST_MULTIPART_UPLOADS, at.region, at.bucket, &e))?;
    let escaped = page.encoding_type() == Some(&s3::EncodingType::Url);
    let uploads = page.uploads().iter().filter_map(|upload| {
        Some(Upload {
            key: unescaped(upload.key()?, escaped),
            id: upload.upload_id()?.to_owned(),
            begun: upload.initiated().and_then(time::from_sdk),
        })
    });
    let uploads = uploads.collect();
    let truncated = page.is_truncated() == Some(true);
    let key = page.next_key_marker.map(|m| unescaped_text(&m, escaped));
    let next = next(aws, at, &LIST_MULTIPART_UPLOADS, truncated, key, page.next_upload_id_marker)?;
    Ok((uploads, next))
}

/// Size of the parts of an upload, bytes. Err when a page cannot be read.
pub async fn upload_bytes(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
    upload: &Upload,
) -> Result<u64, SourceError> {
    let client = aws.clients().await.s3(region);
    let key = String::from_utf8_lossy(&upload.key).into_owned();
    let mut sum = 0_u64;
    let mut pages = Pages::of(LIST_PARTS.action, region);
    while let Some(marker) = pages.ask() {
        let _permit = aws.enter(Api::S3Data, region, 0).await;
        let page = client
            .list_parts()
            .bucket(bucket)
            .key(&key)
            .upload_id(&upload.id)
            .set_part_number_marker(marker)
            .send()
            .await
            .map_err(|e| aws.bucket_failed(&LIST_PARTS, region, bucket, &e))?;
        let sizes = page.parts().iter().filter_map(|p| u64::try_from(p.size()?).ok());
        sum = sizes.fold(sum, u64::saturating_add);
        pages.follow_cut(page.is_truncated == Some(true), page.next_part_number_marker)?;
    }
    Ok(sum)
}

/// An object, or the byte range `range` of it. Err when the call fails or the object is too large.
pub async fn object(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
    key: &str,
    range: Option<Range<u64>>,
) -> Result<ObjectBytes, SourceError> {
    let call = &GET_OBJECT;
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Data, region, 0).await;
    let header = range.as_ref().map(|r| format!("bytes={}-{}", r.start, r.end.saturating_sub(1)));
    let answer = client
        .get_object()
        .bucket(bucket)
        .key(key)
        .set_range(header)
        .send()
        .await
        .map_err(|e| aws.bucket_failed(call, region, bucket, &e))?;
    let positive = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok());
    let whole = positive(answer.content_length()).filter(|_| range.is_none());
    let total = answer.content_range().and_then(|r| r.rsplit('/').next()?.parse().ok()).or(whole);
    let etag = answer.e_tag().unwrap_or_default().trim_matches('"').to_owned();
    // A server that does not heed the range, or an object that has grown.
    let most = range.map_or(OBJECT_AT_MOST, |r| r.end.saturating_sub(r.start));
    let (mut body, mut bytes) = (answer.body, Vec::new());
    while let Some(part) = body.try_next().await.map_err(|e| {
        let message = format!("s3://{bucket}/{key}: the answer broke off: {e}");
        let fix = "check the network; try again";
        SourceError::new(ErrorKind::Network, call.action, &message, fix)
    })? {
        if (bytes.len() + part.len()) as u64 > most {
            let message = format!("s3://{bucket}/{key}: the answer is larger than {most} bytes");
            let fix = "check that this is the object that was meant, and that nobody writes it now";
            return Err(SourceError::new(ErrorKind::Malformed, call.action, &message, fix));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(ObjectBytes { bytes, total, etag })
}

/// The largest object that is read as a whole, bytes: a manifest.
const OBJECT_AT_MOST: u64 = MANIFEST_AT_MOST;

fn prefix(at: ListPlace<'_>) -> Option<String> {
    Some(at.prefix.to_owned()).filter(|p| !p.is_empty())
}

/// Where the next page begins. A page that is cut short and names no next one must not pass for the
/// last: what follows would be missing, and what is missing looks deletable.
fn next(
    aws: &AwsProvider,
    at: ListPlace<'_>,
    call: &'static super::calls::Call,
    truncated: bool,
    token: Option<String>,
    id: Option<String>,
) -> Result<Option<ListToken>, SourceError> {
    match token.filter(|t| !t.is_empty()) {
        Some(token) if truncated => {
            Ok(Some(ListToken { at: token, id: id.filter(|i| !i.is_empty()) }))
        }
        None if truncated => {
            let place = aws.place(call, at.region);
            Err(error::malformed("the list is cut short and does not say where it goes on", place))
        }
        _ => Ok(None),
    }
}

/// A row of a list, before it is in columns.
struct Row<'a> {
    key: Option<&'a str>,
    bytes: Option<i64>,
    modified: Option<&'a DateTime>,
    class: &'a str,
    etag: Option<&'a str>,
    version: Option<&'a str>,
    flags: u16,
}

impl Row<'_> {
    /// A row without a key is left out: it can be neither shown nor acted on.
    fn append(self, escaped: bool, now: Timestamp, into: &mut ObjectBatch) {
        let Some(key) = self.key.filter(|k| !k.is_empty()) else { return };
        let etag = self.etag.map_or_else(Etag::default, |e| Etag::parse(e.as_bytes()));
        let bytes = self.bytes.filter(|n| (0..=MAX_BYTES).contains(n));
        let modified = self.modified.and_then(time::from_sdk).map(Timestamp::as_millisecond);
        let modified = modified.filter(|ms| (FIRST_MS..=now.as_millisecond()).contains(ms));
        let mut flags = self.flags;
        let mut set = |bit: u16, is: bool| flags |= if is { bit } else { 0 };
        set(ObjectFlags::MULTIPART, etag.parts > 0);
        set(ObjectFlags::BAD_SIZE, bytes.is_none());
        set(ObjectFlags::BAD_DATE, modified.is_none());
        into.keys.push(&unescaped(key, escaped));
        into.sizes.push(bytes.and_then(|n| u64::try_from(n).ok()).unwrap_or(0));
        into.modified_ms.push(modified.unwrap_or(i64::MIN));
        into.tiers.push(Tier::of_object(self.class, ""));
        into.flags.push(ObjectFlags(flags));
        into.etags.push(etag);
        if let Some(version) = self.version {
            into.versions.push(version.as_bytes());
        }
    }
}

/// A key as it is. Lists are asked for with escapes, because XML cannot hold every character that a
/// key can; a space comes as `+` or `%20`.
fn unescaped(text: &str, escaped: bool) -> Vec<u8> {
    if !escaped {
        return text.as_bytes().to_vec();
    }
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).collect()
}

fn unescaped_text(text: &str, escaped: bool) -> String {
    String::from_utf8_lossy(&unescaped(text, escaped)).into_owned()
}
