//! Files that name the objects of dropped steps, written while the list is read a second time.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::args::CheckpointsArgs;
use super::{CliError, Ctx, Exit, list};
use crate::analyze::storage::Fold;
use crate::analyze::storage::checkpoints::Picks;
use crate::domain::storage::{Etag, ObjectBatch};
use crate::files;
use crate::report::object_files::{
    NamedObject, ScriptHead, batch_row, script_foot, script_head, script_row,
};
use crate::source::objects::Need;

/// Contents of the files.
pub(super) struct Plan<'a> {
    /// Dropped steps, whose objects are named.
    pub picks: &'a Picks,
    /// Name of the bucket.
    pub bucket: &'a str,
    /// Time of the list, RFC 3339.
    pub listed_at: &'a str,
    /// Retention policy in one line.
    pub policy: &'a str,
    /// Bytes of the objects.
    pub bytes: u64,
    /// True when rows name versions.
    pub with_versions: bool,
}

/// Writes the files that the arguments name; a sentence for each. Files are new: what exists is
/// never written over. When the second reading finds other objects than the first, or anything
/// fails, nothing is left of them.
pub(super) fn write(
    args: &CheckpointsArgs,
    ctx: &Ctx<'_>,
    plan: &Plan<'_>,
) -> Result<Vec<String>, CliError> {
    let mut created = Created::default();
    let result = created.fill(args, ctx, plan);
    if result.is_err() {
        for path in &created.paths {
            // Begun a moment ago: it holds nothing that anybody could use.
            let _ = std::fs::remove_file(path);
        }
    }
    result
}

/// Files that this run has created.
#[derive(Default)]
struct Created {
    paths: Vec<PathBuf>,
}

/// Files that the objects are written to.
struct Files {
    manifest: Option<BufWriter<File>>,
    script: Option<BufWriter<File>>,
    /// Objects written to each.
    rows: u64,
    /// Objects that the script cannot check.
    left_out: u64,
    error: Option<std::io::Error>,
}

impl Created {
    fn create(&mut self, path: Option<&Path>) -> Result<Option<BufWriter<File>>, CliError> {
        let Some(path) = path else { return Ok(None) };
        let file = files::create_new(path).map_err(|error| {
            let message = format!("{}: {}", path.display(), files::explain(&error));
            CliError::Failed { exit: Exit::Usage, message }
        })?;
        self.paths.push(path.to_owned());
        Ok(Some(BufWriter::new(file)))
    }

    fn fill(
        &mut self,
        args: &CheckpointsArgs,
        ctx: &Ctx<'_>,
        plan: &Plan<'_>,
    ) -> Result<Vec<String>, CliError> {
        let manifest = self.create(args.batch_manifest.as_deref())?;
        let mut script = self.create(args.delete_script.as_deref())?;
        if let Some(script) = &mut script {
            let head = ScriptHead {
                bucket: plan.bucket,
                owner: "",
                listed_at: plan.listed_at,
                policy: plan.policy,
                objects: plan.picks.objects(),
                bytes: plan.bytes,
                with_versions: plan.with_versions,
            };
            script.write_all(script_head(&head).as_bytes())?;
        }
        let need =
            Need { etags: script.is_some(), versions: plan.with_versions, ..Need::default() };
        let files = Mutex::new(Files { manifest, script, rows: 0, left_out: 0, error: None });
        let pass = list::fold(&args.list, ctx, need, |_| Writer {
            plan,
            files: &files,
            manifest: Vec::new(),
            script: String::new(),
        })?;
        let is_partial = pass.partial.is_some();
        drop(pass);
        let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = files.error.take() {
            return Err(error.into());
        }
        if is_partial || files.rows != plan.picks.objects() {
            let message = format!(
                "no file was written: the list named {} objects the first time and {} the second",
                plan.picks.objects(),
                files.rows,
            );
            return Err(CliError::Failed { exit: Exit::Partial, message });
        }
        if let Some(script) = &mut files.script {
            script.write_all(script_foot().as_bytes())?;
            script.flush()?;
        }
        if let Some(manifest) = &mut files.manifest {
            manifest.flush()?;
        }
        Ok(said(args, &files))
    }
}

/// A sentence for each file.
fn said(args: &CheckpointsArgs, files: &Files) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(path) = &args.batch_manifest {
        out.push(format!(
            "{}: {} objects, for S3 Batch Operations (S3BatchOperations_CSV_20180820). Tagging \
             replaces all tags of an object",
            path.display(),
            files.rows
        ));
    }
    if let Some(path) = &args.delete_script {
        let left_out = match files.left_out {
            0 => String::new(),
            n => format!("; {n} left out: the list has neither version nor ETag of them"),
        };
        out.push(format!(
            "{}: {} objects{left_out}. It deletes nothing until it is run with --delete",
            path.display(),
            files.rows - files.left_out
        ));
    }
    out
}

/// Writes down what is picked of each batch.
struct Writer<'a> {
    plan: &'a Plan<'a>,
    files: &'a Mutex<Files>,
    manifest: Vec<u8>,
    script: String,
}

impl Fold for Writer<'_> {
    fn take(&mut self, batch: &ObjectBatch) {
        self.manifest.clear();
        self.script.clear();
        let (mut rows, mut left_out) = (0, 0);
        for row in (0..batch.len()).filter(|row| self.plan.picks.picks(batch, *row)) {
            rows += 1;
            let object = NamedObject {
                key: batch.keys.get(row),
                version: batch.versions.get(row),
                size: batch.sizes.get(row).copied().unwrap_or(0),
                etag: batch.etags.get(row).copied().unwrap_or(Etag::default()),
            };
            let with_versions = self.plan.with_versions;
            batch_row(self.plan.bucket, &object, with_versions, &mut self.manifest);
            left_out += u64::from(!script_row(&object, with_versions, &mut self.script));
        }
        if rows == 0 {
            return;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.rows += rows;
        if files.script.is_some() {
            files.left_out += left_out;
        }
        let mut failed = None;
        if let Some(manifest) = &mut files.manifest {
            failed = manifest.write_all(&self.manifest).err();
        }
        if let Some(script) = &mut files.script {
            failed = failed.or(script.write_all(self.script.as_bytes()).err());
        }
        if let Some(error) = failed {
            files.error.get_or_insert(error);
        }
    }

    fn merge(&mut self, _other: Self) {}
}
