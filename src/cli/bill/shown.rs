//! `burntop bill` and its lists: what is kept, summed or judged, and printed.

use std::io::Write;
use std::sync::Arc;

use super::args::{AnomaliesArgs, ChangesArgs, OfArgs, SumsArgs};
use super::athena::{self, Added};
use super::kept::{Kept, heads};
use super::live::{self, Seen};
use crate::analyze::bill::anomalies::{AnomalySettings, USUAL_MONTHS, by_provider};
use crate::analyze::bill::reconcile::reconcile;
use crate::analyze::bill::{
    BillKey, BillSettings, BreakdownError, Measured, anatomy, breakdown, changes,
};
use crate::cli::athena::Engine;
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::domain::bill::Bill;
use crate::report::{BillsOf, ListField};
use crate::tabs::bill::picture::{
    AnatomyField, AnomalyField, AnomalyRow, BillField, ChangeField, ReconcileField, anatomy_rows,
    anomaly_rows, bill_rows, changed_rows, reconcile_rows,
};
use crate::view::ViewContext;

/// What is kept of bills, anomalies, and the bills that they are of.
pub(super) type Anomalies = (Kept, Arc<[Arc<AnomalyRow>]>, BillsOf);

/// What the lists of bills are printed with.
pub(super) struct Shown<'a> {
    invocation: &'a Invocation,
    ctx: ViewContext,
    settings: BillSettings,
}

impl<'a> Shown<'a> {
    /// With the settings of a run.
    pub(super) fn new(invocation: &'a Invocation, ctx: ViewContext) -> Self {
        Self { invocation, ctx, settings: super::settings(invocation) }
    }

    /// Fails for `--fail-on`, of which sums know nothing.
    pub(super) fn without_fail_on(self) -> Result<Self, CliError> {
        if self.invocation.options.fail_on.is_some() {
            let why = "--fail-on: sums of a bill are no findings; leave it out";
            return Err(CliError::Usage(why.into()));
        }
        Ok(self)
    }

    /// Prints sums by key.
    pub(super) fn sums(&self, args: &SumsArgs, out: &mut dyn Write) -> Result<Exit, CliError> {
        let chosen = Selection::<BillField>::of(self.invocation)?;
        let keys = &args.by.by;
        if args.athena.shared.engine == Engine::Athena || args.athena.shared.print_sql {
            return self.added(args, &chosen, out);
        }
        let (kept, bills) = self.kept(&args.of, keys)?;
        let found = breakdown(&bills, keys, &[], &self.settings).map_err(wrong_keys)?;
        let of = BillsOf { keys: keys[..].into(), bills: heads(&bills), ..BillsOf::default() };
        self.print(&chosen, &bill_rows(&found), of, &kept, out)
    }

    /// Prints sums that Athena makes, or the SQL for them.
    fn added(
        &self,
        args: &SumsArgs,
        chosen: &Selection<BillField>,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let job = athena::Job::new(args, &self.settings)?;
        if args.athena.shared.print_sql {
            return job.print(out);
        }
        let Added { sums, head } = job.run(self.invocation)?;
        let of = BillsOf { keys: args.by.by[..].into(), bills: vec![head], ..BillsOf::default() };
        let list = chosen.list(&bill_rows(&sums), of, &self.ctx);
        reports::print(&list, self.invocation, &self.ctx, out)?;
        Ok(Exit::Ok)
    }

    /// Prints the anatomy.
    pub(super) fn anatomy(&self, args: &OfArgs, out: &mut dyn Write) -> Result<Exit, CliError> {
        let chosen = Selection::<AnatomyField>::of(self.invocation)?;
        let (kept, bills) = self.kept(args, &[])?;
        let is_newest = bills.iter().any(|bill| bill.head.period == kept.newest());
        let measured = if is_newest {
            live::measured(self.invocation, kept.newest(), self.ctx.now)
        } else {
            Measured::default()
        };
        let found = anatomy(&bills, &self.settings, &measured);
        let is_measured = !measured.is_empty();
        let of = BillsOf { bills: heads(&bills), is_measured, ..BillsOf::default() };
        self.print(&chosen, &anatomy_rows(&found), of, &kept, out)
    }

    /// Prints what changed.
    pub(super) fn changes(
        &self,
        args: &ChangesArgs,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let chosen = Selection::<ChangeField>::of(self.invocation)?;
        let keys = &args.by.by;
        let kept = self.kept_of(args.export.as_deref(), keys)?;
        let to = args.to.unwrap_or_else(|| kept.newest());
        let from = args.from.unwrap_or_else(|| to.plus(-1));
        let (before, after) = (kept.bills(from)?, kept.bills(to)?);
        let found = changes(&before, &after, keys, &self.settings).map_err(wrong_keys)?;
        let of = BillsOf {
            keys: keys[..].into(),
            bills: heads(&after),
            before: heads(&before),
            ..BillsOf::default()
        };
        self.print(&chosen, &changed_rows(&found), of, &kept, out)
    }

    /// Prints anomalies.
    pub(super) fn anomalies(
        &self,
        args: &AnomaliesArgs,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let chosen = Selection::<AnomalyField>::of(self.invocation)?;
        let fail_on = self.invocation.options.fail_on.as_ref();
        fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
        let (kept, rows, of) = self.found(args)?;
        let list = chosen.list(&rows, of, &self.ctx);
        reports::print(&list, self.invocation, &self.ctx, out)?;
        let exit = kept.ended();
        let found = Found { findings: list.rows.len(), ..Found::default() };
        if let Some(found) = fail_on.and_then(|fail_on| fail_on.tripped_by_savings(&found)) {
            tell(format_args!("--fail-on: {found}"));
            return Ok(Exit::Findings);
        }
        Ok(exit)
    }

    /// The anomalies of a bill, with what they rest on.
    pub(super) fn found(&self, args: &AnomaliesArgs) -> Result<Anomalies, CliError> {
        let tag: Option<Arc<str>> = args.tag.as_deref().map(Into::into);
        let keys: Vec<BillKey> = tag.iter().cloned().map(BillKey::Tag).collect();
        let told = if keys.is_empty() { &[BillKey::UsageType][..] } else { &keys };
        let (kept, bills) = self.kept(&args.of, told)?;
        let period = bills.first().map_or_else(|| kept.newest(), |bill| bill.head.period);
        let before = kept.before(period, USUAL_MONTHS)?;
        if !keys.is_empty() {
            breakdown(&bills, &keys, &[], &self.settings)
                .map_err(|error| CliError::Usage(format!("--tag: {error}")))?;
        }
        let settings = AnomalySettings { tag, ..AnomalySettings::default() };
        let all = [&before[..], &bills].concat();
        let found = by_provider(&all, period, &settings);
        let of = BillsOf {
            keys: keys.into(),
            bills: heads(&bills),
            before: heads(&before),
            ..BillsOf::default()
        };
        Ok((kept, anomaly_rows(found, &settings), of))
    }

    /// Prints the bill beside live burn.
    pub(super) fn reconcile(&self, args: &OfArgs, out: &mut dyn Write) -> Result<Exit, CliError> {
        let chosen = Selection::<ReconcileField>::of(self.invocation)?;
        let (kept, bills) = self.kept(args, &[BillKey::UsageType])?;
        let period = bills.first().map_or_else(|| kept.newest(), |bill| bill.head.period);
        let seen = Seen::of(self.invocation, period)?;
        let found = reconcile(&bills, &seen.live());
        let of = BillsOf { bills: heads(&bills), ..BillsOf::default() };
        self.print(&chosen, &reconcile_rows(found), of, &kept, out)
    }

    /// The bills of a period, the newest one where none is named.
    fn kept(&self, args: &OfArgs, keys: &[BillKey]) -> Result<(Kept, Vec<Arc<Bill>>), CliError> {
        let kept = self.kept_of(args.export.as_deref(), keys)?;
        let bills = kept.bills(args.period.unwrap_or_else(|| kept.newest()))?;
        Ok((kept, bills))
    }

    /// What is kept for these keys, of `export` alone where it is named.
    fn kept_of(&self, export: Option<&str>, keys: &[BillKey]) -> Result<Kept, CliError> {
        Kept::of(self.invocation, export, keys, &self.settings)
    }

    fn print<F: ListField<Of = BillsOf>>(
        &self,
        chosen: &Selection<F>,
        rows: &[Arc<F::Row>],
        of: BillsOf,
        kept: &Kept,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let list = chosen.list(rows, of, &self.ctx);
        reports::print(&list, self.invocation, &self.ctx, out)?;
        Ok(kept.ended())
    }
}

fn wrong_keys(error: BreakdownError) -> CliError {
    CliError::Usage(format!("--by: {error}"))
}
