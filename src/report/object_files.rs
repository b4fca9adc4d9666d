//! Files that name objects, for others to act on: a manifest for S3 Batch Operations, and a script
//! that deletes. Row by row, so that they may be longer than memory.

use crate::domain::storage::Etag;

/// An object in a manifest or script.
#[derive(Clone, Copy, Debug)]
pub struct NamedObject<'a> {
    /// Key, as raw bytes.
    pub key: &'a [u8],
    /// Version id; empty where the list has none.
    pub version: &'a [u8],
    /// Size, bytes.
    pub size: u64,
    /// `ETag`; empty where not known.
    pub etag: Etag,
}

/// Appends a row to a manifest for S3 Batch Operations (`S3BatchOperations_CSV_20180820`): bucket, key, and
/// with `with_versions` the version (then in all rows). No header row is written, since S3 would take it for a
/// bucket. Keys are URL-encoded, except `/`.
pub fn batch_row(bucket: &str, object: &NamedObject<'_>, with_versions: bool, out: &mut Vec<u8>) {
    quote_plus(bucket.as_bytes(), out);
    out.push(b',');
    quote_plus(object.key, out);
    if with_versions {
        out.push(b',');
        quote_plus(version_of(object), out);
    }
    out.push(b'\n');
}

/// Version id of an object; `null` for one from before versions were switched on.
fn version_of<'a>(object: &NamedObject<'a>) -> &'a [u8] {
    if object.version.is_empty() { b"null" } else { object.version }
}

/// As Python's `urllib.parse.quote_plus(key, safe='/')`, which S3 reads back.
fn quote_plus(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' | b'/' => {
                out.push(*byte);
            }
            b' ' => out.push(b'+'),
            _ => out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
        }
    }
}

/// Values at the top of a deletion script.
#[derive(Clone, Copy, Debug)]
pub struct ScriptHead<'a> {
    /// Name of the bucket.
    pub bucket: &'a str,
    /// Account that must own the bucket; empty where not known.
    pub owner: &'a str,
    /// Time of the list, RFC 3339.
    pub listed_at: &'a str,
    /// Retention policy in one line.
    pub policy: &'a str,
    /// Number of objects that the plan drops.
    pub objects: u64,
    /// Bytes of these objects.
    pub bytes: u64,
    /// True when rows name versions, whose deletion frees their bytes at once.
    pub with_versions: bool,
}

/// Beginning of a deletion script. The script deletes nothing unless run with `--delete`; it checks each object
/// first and skips those that differ from the list.
pub fn script_head(head: &ScriptHead<'_>) -> String {
    let what = if head.with_versions {
        "by version id: the bytes are gone, for good"
    } else {
        "the current objects: gone for good, or delete markers where the bucket keeps versions"
    };
    let comment = |text: &str| crate::domain::text::clean(text).into_owned();
    format!(
        "#!/usr/bin/env bash\n\
         # Deletes the checkpoints that a retention policy drops; written by burntop, which deletes\n\
         # no object itself.\n\
         #   bucket   {bucket}\n\
         #   policy   keep {policy}\n\
         #   list of  {listed_at}\n\
         #   objects  {objects}, {bytes} bytes\n\
         #   deletes  {what}\n\
         # Run it as it is to see what it would do, with --delete to do it. Each object is looked at\n\
         # (HEAD) right before, and left out when it is not as the list had it; 1,000 at a time are\n\
         # deleted. Needs the AWS CLI 2 with s3:GetObject, s3:DeleteObject{version_right}.\n\
         {body}",
        bucket = comment(head.bucket),
        policy = comment(head.policy),
        listed_at = comment(head.listed_at),
        objects = head.objects,
        bytes = head.bytes,
        version_right = if head.with_versions { " and their Version twins" } else { "" },
        body = BODY
            .replace("@BUCKET@", &shell_quote(head.bucket))
            .replace("@OWNER@", &shell_quote(head.owner))
            .replace("@OBJECTS@", &head.objects.to_string()),
    )
}

/// End of a deletion script; a truncated file without it deletes nothing.
pub fn script_foot() -> &'static str {
    "ROWS\nmain\n"
}

/// Appends an object to a deletion script. False, and nothing appended, where the script could not check that
/// it is unchanged (neither version nor `ETag`), or the key is not UTF-8.
pub fn script_row(object: &NamedObject<'_>, with_versions: bool, out: &mut String) -> bool {
    use std::fmt::Write as _;
    let Ok(key) = std::str::from_utf8(object.key) else { return false };
    let Ok(version) = std::str::from_utf8(version_of(object)) else { return false };
    if !with_versions && object.etag.is_empty() {
        return false;
    }
    // Plain maps of strings: they cannot fail.
    let json = if with_versions {
        serde_json::json!({ "Key": key, "VersionId": version })
    } else {
        serde_json::json!({ "Key": key })
    };
    let etag = match (object.etag.is_empty(), object.etag.parts) {
        (true, _) => "-".to_owned(),
        (false, 0) => format!("{:032x}", object.etag.md5),
        (false, parts) => format!("{:032x}-{parts}", object.etag.md5),
    };
    writeln!(out, "{json}\t{etag}\t{}", object.size).is_ok()
}

/// A word that a shell takes as it is.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Keys go to the AWS CLI in files of JSON alone: as arguments, one that begins with `-` or
/// `file://` would be taken for something else. The objects follow as text that no shell reads; a
/// line of it is JSON, which has neither tabs nor line ends.
const BODY: &str = r#"set -euo pipefail
bucket=@BUCKET@
owner=@OWNER@
planned=@OBJECTS@
really=no
if [ "${1:-}" = --delete ]; then really=yes; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: > "$work/rows"
batch=0 same=0 changed=0 gone=0 failed=0
json_bucket=$(printf '%s' "$bucket" | sed 's/["\\]/\\&/g')
owner_args=()
owner_json=
if [ -n "$owner" ]; then
  owner_args=(--expected-bucket-owner "$owner")
  owner_json=",\"ExpectedBucketOwner\":\"$owner\""
fi

flush() {
  if [ "$batch" -eq 0 ]; then return; fi
  if [ "$really" = yes ]; then
    { printf '{"Quiet":true,"Objects":['; paste -sd, "$work/rows"; printf ']}'; } > "$work/delete.json"
    aws s3api delete-objects --bucket "$bucket" "${owner_args[@]+"${owner_args[@]}"}" \
      --delete "file://$work/delete.json" --output text --query 'Errors[].[Key,Code,Message]' > "$work/errors"
    bad=$(grep -cv '^None$' "$work/errors" || true)
    if [ "$bad" -gt 0 ]; then
      grep -v '^None$' "$work/errors" >&2
      failed=$((failed + bad))
    fi
  fi
  : > "$work/rows"
  batch=0
}

# look JSON ETAG SIZE: one object.
look() {
  printf '{"Bucket":"%s"%s,%s' "$json_bucket" "$owner_json" "${1#\{}" > "$work/head.json"
  if ! now=$(aws s3api head-object --cli-input-json "file://$work/head.json" \
      --query '[ContentLength,ETag]' --output text 2> "$work/why"); then
    if grep -qE '\(404\)|NoSuch' "$work/why"; then gone=$((gone + 1)); return; fi
    cat "$work/why" >&2
    echo "stopped: an object could not be looked at" >&2
    exit 1
  fi
  now=$(printf '%s' "$now" | tr -d '"')
  wanted=$(printf '%s\t%s' "$3" "$2")
  if [ "$2" = - ]; then now=${now%%$'\t'*}; wanted=$3; fi
  if [ "$now" != "$wanted" ]; then changed=$((changed + 1)); return; fi
  same=$((same + 1))
  printf '%s\n' "$1" >> "$work/rows"
  batch=$((batch + 1))
  if [ "$batch" -ge 1000 ]; then flush; fi
}

finish() {
  flush
  word="would be deleted"
  if [ "$really" = yes ]; then word="deleted"; fi
  echo "$((same - failed)) of $planned $word; $gone gone before, $changed changed since the list, $failed refused"
  if [ "$failed" -gt 0 ]; then exit 1; fi
}

main() {
  while IFS=$'\t' read -r json etag size <&3; do look "$json" "$etag" "$size"; done 3< "$work/list"
  finish
}

cat > "$work/list" <<'ROWS'
"#;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn object<'a>(key: &'a [u8], version: &'a [u8]) -> NamedObject<'a> {
        let etag = Etag::parse(b"d41d8cd98f00b204e9800998ecf8427e-7");
        NamedObject { key, version, size: 5, etag }
    }

    fn row(key: &[u8], version: &[u8], with_versions: bool) -> String {
        let mut out = Vec::new();
        batch_row("b", &object(key, version), with_versions, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn manifests_escape_keys_as_s3_reads_them() {
        // By Python: quote_plus(key, safe='/').
        let key = "weird key/with space+plus%25/ünï/~a,b\"c'\n".as_bytes();
        let quoted = "weird+key/with+space%2Bplus%2525/%C3%BCn%C3%AF/~a%2Cb%22c%27%0A";
        assert_eq!(row(key, b"v.1", false), format!("b,{quoted}\n"));
        assert_eq!(row(key, b"v.1", true), format!("b,{quoted},v.1\n"));
        assert_eq!(row(b"k", b"", true), "b,k,null\n");
    }

    #[test]
    fn a_script_names_what_it_can_check_and_nothing_else() {
        let mut out = String::new();
        assert!(script_row(&object(b"a/it's $(x)\n", b""), false, &mut out));
        assert_eq!(out, "{\"Key\":\"a/it's $(x)\\n\"}\td41d8cd98f00b204e9800998ecf8427e-7\t5\n");
        let mut unknown = object(b"k", b"v");
        unknown.etag = Etag::default();
        let mut out = String::new();
        assert!(!script_row(&unknown, false, &mut out));
        assert!(script_row(&unknown, true, &mut out));
        assert_eq!(out, "{\"Key\":\"k\",\"VersionId\":\"v\"}\t-\t5\n");
        assert!(!script_row(&object(b"\xff", b"v"), true, &mut String::new()));
    }

    /// A stand-in for the AWS CLI: two objects are as listed, one has changed, one is gone; what is
    /// to be deleted is appended to a file.
    const AWS: &str = r#"#!/usr/bin/env bash
here=$(dirname "$0")
case "$2" in
head-object)
  file=${4#file://}
  if grep -q gone "$file"; then echo 'An error occurred (404) when calling HeadObject' >&2; exit 254; fi
  if grep -q changed "$file"; then printf '6\t"00000000000000000000000000000000"\n'; exit 0; fi
  if grep -q denied "$file"; then echo 'An error occurred (403): Forbidden' >&2; exit 254; fi
  printf '5\t"d41d8cd98f00b204e9800998ecf8427e-7"\n' ;;
delete-objects)
  while [ "$1" != --delete ]; do shift; done
  cat "${2#file://}" >> "$here/deleted"; echo >> "$here/deleted"; echo None ;;
esac
"#;

    /// What a script of these keys says, whether it succeeded, and what it had deleted.
    fn play(keys: &[&str], arguments: &[&str]) -> (String, bool, String) {
        let dir = tempfile::tempdir().unwrap();
        crate::source::program::write(&dir.path().join("aws"), AWS);
        let head = ScriptHead {
            bucket: "b",
            owner: "111122223333",
            listed_at: "2026-11-20T01:00:00Z\nrm -rf /",
            policy: "last 3",
            objects: keys.len() as u64,
            bytes: 5,
            with_versions: false,
        };
        let mut script = script_head(&head);
        for key in keys {
            assert!(script_row(&object(key.as_bytes(), b""), false, &mut script));
        }
        script.push_str(script_foot());
        let file = dir.path().join("delete.sh");
        std::fs::write(&file, script).unwrap();
        let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
        let out = std::process::Command::new("bash")
            .arg(&file)
            .args(arguments)
            .env("PATH", path)
            .output()
            .unwrap();
        let deleted = std::fs::read_to_string(dir.path().join("deleted")).unwrap_or_default();
        let said = String::from_utf8_lossy(&out.stdout).into_owned()
            + &String::from_utf8_lossy(&out.stderr);
        (said, out.status.success(), deleted)
    }

    #[test]
    fn a_script_deletes_when_told_to_and_only_what_has_not_changed() {
        let keys = ["a/it's $(x)", "gone", "changed", "-k ü\""];
        let (said, ok, deleted) = play(&keys, &[]);
        assert_eq!(
            (&*said, ok, &*deleted),
            (
                "2 of 4 would be deleted; 1 gone before, 1 changed since the list, 0 refused\n",
                true,
                ""
            )
        );
        let (said, ok, deleted) = play(&keys, &["--delete"]);
        assert!(ok && said.starts_with("2 of 4 deleted"), "{said}");
        let asked: serde_json::Value = serde_json::from_str(deleted.trim()).unwrap();
        assert_eq!(
            asked["Objects"],
            serde_json::json!([{ "Key": "a/it's $(x)" }, { "Key": "-k ü\"" }])
        );
    }

    #[test]
    fn a_script_stops_where_it_may_not_look() {
        let (said, ok, deleted) = play(&["one", "denied", "two"], &["--delete"]);
        assert!(!ok && said.contains("Forbidden") && deleted.is_empty(), "{said}");
    }

    #[test]
    fn a_script_asks_for_a_thousand_at_a_time() {
        let keys: Vec<String> = (0..12).map(|i| format!("k{i}")).collect();
        let keys: Vec<&str> = keys.iter().map(|k| &**k).collect();
        let (_, ok, deleted) = play(&keys, &["--delete"]);
        assert!(ok);
        assert_eq!((deleted.matches("Quiet").count(), deleted.matches("\"Key\"").count()), (1, 12));
        assert!(BODY.contains("-ge 1000"));
    }

    proptest! {
        #[test]
        fn a_manifest_has_a_line_per_object_and_keys_come_back(
            key in proptest::collection::vec(any::<u8>(), 1..40)
        ) {
            let text = row(&key, b"v", true);
            prop_assert!(text.ends_with('\n') && text.matches('\n').count() == 1);
            let fields: Vec<&str> = text.trim_end().split(',').collect();
            prop_assert_eq!(fields.len(), 3);
            let back: Vec<u8> =
                percent_encoding::percent_decode_str(&fields[1].replace('+', " ")).collect();
            prop_assert_eq!(back, key);
        }
    }
}
