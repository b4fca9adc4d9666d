//! `--engine athena`: an inventory added up by Athena instead of on this machine.
//!
//! What it costs is said first, and nothing runs without `--yes`. The table that it needs is made
//! for the query and dropped after it; no data is changed.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::args::ListArgs;
use super::list::runtime;
use super::{CliError, Ctx, Exit};
use crate::cli::athena::{self, Charges};
use crate::cli::interrupt::Interrupt;
use crate::cli::inventories::Finder;
use crate::cli::session;
use crate::cli::tell::tell;
use crate::domain::storage::{PrefixTree, Scan, ScanOrigin};
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};
use crate::source::StorageSource;
use crate::source::athena::run::{Query, Waiting, run};
use crate::source::athena::service::QueryService;
use crate::source::athena::sql::{Layout, Table};
use crate::source::athena::table::{self, Files};
use crate::source::athena::tree;
use crate::source::inventory::{FileFormat, Inventory, Place, s3_uri};
use crate::source::ledger::BilledApi;
use crate::source::storage::{ListPlace, Name};

/// Advice for a query that is too large.
const NARROWER: &str = "ask for a prefix of the bucket with --prefix, or for fewer levels";

/// SQL text or scan, whichever was asked for.
pub(super) enum Answer {
    /// The SQL, asked for by `--print-sql`.
    Sql(String),
    /// The scan.
    Scan(Scan),
}

/// Sums of an inventory by prefix, down to `levels` levels.
pub(super) fn sums(args: &ListArgs, ctx: &Ctx<'_>, levels: u16) -> Result<Answer, CliError> {
    let Some(named) = &args.inventory else {
        return Err(CliError::Usage("--engine athena needs --inventory".into()));
    };
    let runtime = runtime()?;
    let cache = session::open_cache_aloud(ctx.invocation);
    runtime.block_on(async {
        let finder = Finder::of(ctx.invocation, &cache);
        let inventory =
            finder.open(named, args.bucket.as_deref()).await.map_err(CliError::of_source)?;
        let job = Job::new(&inventory, args)?;
        if args.athena.print_sql {
            return Ok(Answer::Sql(job.print(levels)));
        }
        job.run(&inventory, ctx, levels).await.map(Answer::Scan)
    })
}

/// A query over one inventory.
struct Job<'a> {
    args: &'a ListArgs,
    table: Table,
    names: Vec<String>,
    layout: Layout,
    /// Bucket and folder of the manifest; `None` for a local one.
    folder: Option<(String, String)>,
}

impl<'a> Job<'a> {
    fn new(inventory: &Inventory, args: &'a ListArgs) -> Result<Self, CliError> {
        let manifest = &inventory.manifest;
        let database = args.athena_database.as_str();
        if !table::is_plain(database) {
            return Err(CliError::Usage(format!(
                "--athena-database {}: lower-case letters, digits and _ alone",
                clean(database)
            )));
        }
        let layout = match manifest.format {
            FileFormat::Csv => Layout::Csv,
            FileFormat::Parquet => Layout::Parquet,
        };
        let digest: String =
            manifest.digest.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
        let table = Table {
            name: format!("{database}.burntop_inventory_{}", digest.to_lowercase()),
            layout,
            columns: table::columns(&manifest.schema.names),
            listed_at: Timestamp::from_millisecond(manifest.created_ms).unwrap_or_default(),
        };
        let folder = match &inventory.place {
            Place::Remote { .. } => s3_uri(&inventory.place.label()).map(|(bucket, key)| {
                let end = key.rfind('/').map_or(0, |i| i + 1);
                (bucket.to_owned(), key[..end].to_owned())
            }),
            Place::Local(_) => None,
        };
        Ok(Self { args, table, names: manifest.schema.names.clone(), layout, folder })
    }

    fn prefix(&self) -> &str {
        self.args.prefix.as_deref().unwrap_or_default()
    }

    /// Where S3 puts the symlink file of this snapshot: beside the folders of the snapshots,
    /// `hive/dt=2026-11-20-01-00/` for `2026-11-20T01-00Z/`.
    fn symlink_folder(&self) -> Option<(String, String)> {
        let (bucket, folder) = self.folder.as_ref()?;
        let dated = folder.trim_end_matches('/');
        let start = dated.rfind('/').map_or(0, |i| i + 1);
        let day = dated[start..].trim_end_matches('Z').replace('T', "-");
        Some((bucket.clone(), format!("{}hive/dt={day}/", &dated[..start])))
    }

    fn create(&self, files: &Files) -> String {
        table::create(&self.table.name, &self.names, self.layout, files)
    }

    /// All statements, those of the library included that this command does not run.
    fn print(&self, levels: u16) -> String {
        let at = self.symlink_folder().map_or_else(
            || "s3://BUCKET/PREFIX/hive/dt=YYYY-MM-DD-HH-MM/".to_owned(),
            |(bucket, key)| format!("s3://{bucket}/{key}"),
        );
        let prefix = self.prefix();
        let mut out = String::new();
        let mut part = |title: &str, sql: Option<String>| {
            // Into memory: it cannot fail.
            let _ = sql.map(|sql| write!(out, "-- {title}\n{sql};\n\n"));
        };
        part("the inventory as a table", Some(self.create(&Files::Symlink(at))));
        part("sums by prefix", Some(self.table.sums(levels, prefix)));
        part("copies by ETag and size, added up", self.table.duplicate_levels(prefix));
        part("directories with copies", self.table.duplicate_dirs(prefix, 1_000));
        part("the table goes, the data stays", Some(table::drop(&self.table.name)));
        out
    }

    async fn run(
        &self,
        inventory: &Inventory,
        ctx: &Ctx<'_>,
        levels: u16,
    ) -> Result<Scan, CliError> {
        let (Some((bucket, _)), Some(hive)) = (&self.folder, self.symlink_folder()) else {
            return Err(CliError::Usage("Athena reads inventories in S3: name s3://…".into()));
        };
        let bytes = inventory.manifest.bytes();
        let Some(bytes) = bytes else {
            return Err(CliError::Usage(
                "the manifest does not say how large its files are, so no cost can be said".into(),
            ));
        };
        let (price, units) = athena::price(bytes, "this inventory");
        athena::agreed(&price, self.args.yes)?;
        let (reach, source, region) = athena::owner(ctx.invocation, bucket).await?;
        let cache = session::open_cache_aloud(ctx.invocation);
        let charges = Charges::of(ctx.invocation, &cache);
        charges.charge(BilledApi::S3List, 2).await?;
        let files = files(inventory, &*source, &region, hive).await?;
        charges.charge(BilledApi::Athena, units).await?;
        tell(&price);
        let (options, database) = (&self.args.athena, &self.args.athena_database);
        let service = reach.queries(&region, options, database).ok_or_else(athena::not_in_demo)?;
        let stop = CancellationToken::new();
        let interrupt = Interrupt::cancels(&stop);
        let answer = self.ask(&*service, &files, levels, &stop).await;
        drop(interrupt);
        session::close_aloud(cache).await;
        let tree = answer.map_err(CliError::of_source)?;
        let sums = tree.sums(PrefixTree::ROOT);
        let notes = [
            inventory.notes.clone(),
            vec![format!("added up by Athena, by prefixes of at most {levels} levels")],
        ];
        Ok(Scan {
            bucket: inventory.manifest.bucket.as_str().into(),
            origin: ScanOrigin::Athena(inventory.place.label().into()),
            listed_at: self.table.listed_at,
            scanned_at: ctx.invocation.options.now(),
            rows: sums.all_objects() + sums.delete_markers,
            partial: None,
            notes: notes.concat(),
            tree: Arc::new(tree),
            runs: None,
            duplicates: None,
        })
    }

    async fn ask(
        &self,
        service: &dyn QueryService,
        files: &Files,
        levels: u16,
        stop: &CancellationToken,
    ) -> Result<PrefixTree, SourceError> {
        let waiting = Waiting::default();
        fn statement(sql: &str) -> Query<'_> {
            Query { sql, has_header: false, narrower: NARROWER }
        }
        run(service, statement(&self.create(files)), waiting, stop).await?;
        let sql = self.table.sums(levels, self.prefix());
        let query = Query { sql: &sql, has_header: true, narrower: NARROWER };
        let answer = run(service, query, waiting, stop).await;
        // Also after ctrl-C. A table that stays is an entry of the catalogue and costs nothing.
        let drop = table::drop(&self.table.name);
        let dropped = run(service, statement(&drop), waiting, &CancellationToken::new()).await;
        if let Err(error) = dropped {
            tell(format_args!("{} is still in the catalogue: {error}", self.table.name));
        }
        tree::tree(&answer?.rows, self.layout).map_err(|bad| {
            let fix = "this is a defect of burntop: report it with the output of --print-sql";
            SourceError::new(ErrorKind::Malformed, "athena:GetQueryResults", &bad.to_string(), fix)
        })
    }
}

/// The files of the snapshot: by S3's symlink file where there is one; else the folder of the
/// pieces, when nothing else lies in it.
async fn files(
    inventory: &Inventory,
    source: &dyn StorageSource,
    region: &Arc<str>,
    (bucket, hive): (String, String),
) -> Result<Files, CliError> {
    let names = async |prefix: &str| {
        let at = ListPlace { region, bucket: &bucket, prefix };
        source.names(at, None).await.map_err(CliError::of_source)
    };
    let link = format!("{hive}symlink.txt");
    let is_object = |name: &Name, wanted: &str| matches!(name, Name::Object { key, .. } if key == wanted.as_bytes());
    let (found, _) = names(&link).await?;
    if found.iter().any(|name| is_object(name, &link)) {
        return Ok(Files::Symlink(format!("s3://{bucket}/{hive}")));
    }
    let pieces = &inventory.manifest.pieces;
    let folder = pieces.first().map_or("", |p| &p.key[..p.key.rfind('/').map_or(0, |i| i + 1)]);
    let (found, more) = names(folder).await?;
    let is_piece = |name: &Name| pieces.iter().any(|p| is_object(name, &p.key));
    if more.is_none()
        && !folder.is_empty()
        && found.iter().all(is_piece)
        && found.len() == pieces.len()
    {
        return Ok(Files::Folder(format!("s3://{bucket}/{folder}")));
    }
    Err(CliError::Failed {
        exit: Exit::Unreadable,
        message: format!(
            "s3://{bucket}/{} is not there, by which Athena would know the files of this snapshot",
            clean(&link)
        ),
    })
}
