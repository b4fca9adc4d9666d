//! What the subcommands on lifecycle rules share: the file, the bucket's own facts, prices.

use std::path::Path;
use std::sync::Arc;

use super::args::VersioningChoice;
use super::{CliError, Ctx, list};
use crate::analyze::storage::lifecycle::parse::LARGEST_FILE;
use crate::analyze::storage::lifecycle::{Parsed, parse};
use crate::cli::named_file;
use crate::cli::tell::tell;
use crate::domain::storage::{Bucket, Versioning};
use crate::domain::{ErrorKind, Scope, SourceError};
use crate::source::storage::BucketConfig;

/// Reads a policy; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Parsed, CliError> {
    let (name, bytes) = (path.display(), named_file::read(path, LARGEST_FILE as u64)?);
    parse(&bytes).map_err(|e| CliError::Usage(format!("{name}: {e}")))
}

/// Versioning: what is said, else what the bucket says; `None` when nobody does.
pub(super) fn versioning(
    choice: Option<VersioningChoice>,
    bucket: Option<&str>,
    ctx: &Ctx<'_>,
) -> Option<Versioning> {
    if let Some(choice) = choice {
        return Some(word(choice));
    }
    let config = match ask(bucket?, ctx) {
        Ok((_, config)) => config,
        Err(error) => {
            tell(format_args!("versioning is not known: {error}"));
            return None;
        }
    };
    config.versioning.map_err(|e| tell(format_args!("versioning is not known: {e}"))).ok()
}

pub(super) fn word(choice: VersioningChoice) -> Versioning {
    match choice {
        VersioningChoice::Off => Versioning::Off,
        VersioningChoice::Enabled => Versioning::Enabled,
        VersioningChoice::Suspended => Versioning::Suspended,
    }
}

/// How a bucket is set up, from the first account that may ask about it.
pub(super) fn ask(name: &str, ctx: &Ctx<'_>) -> Result<(Bucket, BucketConfig), SourceError> {
    if ctx.invocation.options.offline {
        let fix = "leave --offline out, or give a file with --current";
        return Err(SourceError::new(ErrorKind::Refused, "reading the bucket", "offline", fix));
    }
    let runtime = list::runtime().map_err(|e| {
        SourceError::new(ErrorKind::Refused, "reading the bucket", &e.to_string(), "try again")
    })?;
    runtime.block_on(async {
        let mut refused = None;
        for source in list::sources(ctx) {
            match source.region_of(name).await {
                Ok(region) => {
                    let bucket = Bucket {
                        scope: Scope::new("-", region),
                        name: Arc::from(name),
                        created_at: None,
                        is_directory: name.ends_with("--x-s3"),
                    };
                    let config = source.config(&bucket).await;
                    return Ok((bucket, config));
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| {
            let fix = "name a profile with --profile";
            SourceError::new(ErrorKind::NoCredentials, "reading the bucket", "no account", fix)
        }))
    })
}
