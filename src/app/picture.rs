//! What leaves the screen: what it shows, as the report of the same name writes it.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use crate::report::{Format, List, ListField, Report, json_lines, write};
use crate::view::{Symbols, ViewContext};

/// The screen's content as a report. Holds the data, so that it can be written on another thread. Two are equal
/// when they are the same value.
#[derive(Clone)]
pub struct Picture {
    report: Arc<dyn Report + Send + Sync>,
    /// The moment that ages are computed for.
    now: Timestamp,
}

impl Picture {
    /// A report as of `now`.
    pub(crate) fn new(report: impl Report + Send + Sync + 'static, now: Timestamp) -> Self {
        Self { report: Arc::new(report), now }
    }

    /// Name of the report: `idle`, `overview`, `gpus`, …
    pub fn view(&self) -> &'static str {
        self.report.view()
    }

    /// Text of the report in `format`.
    pub fn written(&self, format: Format) -> String {
        write(&*self.report, format, &self.context())
    }

    /// Rows as JSON lines, at most `most`.
    pub fn json_lines(&self, most: usize) -> String {
        json_lines(&*self.report, most, &self.context())
    }

    fn context(&self) -> ViewContext {
        ViewContext { now: self.now, symbols: Symbols::Unicode, width: None }
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture").field("view", &self.view()).finish_non_exhaustive()
    }
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.report, &other.report)
    }
}

/// Rows of a list as shown, with order and columns.
pub(crate) fn shown<F: ListField>(list: &super::List, of: F::Of) -> List<F> {
    let columns = list.columns_of();
    List { columns, ..List::of(list.shown(), Some(list.filter_text()), of) }
}

/// One row with all fields.
pub(crate) fn alone<F: ListField>(row: &Arc<F::Row>, of: F::Of) -> List<F> {
    List { columns: F::all().to_vec(), ..List::of(vec![row.clone()], None, of) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::app::fixture::{fleet_of, init, press, readings};
    use crate::app::{App, Effect, Msg};
    use crate::domain::{ErrorKind, Scope, SourceError, SourceId, SourceState};
    use crate::tabs::savings::picture::fixture::denied;
    use crate::tabs::storage::picture::fixture::fleet as storage;

    /// What keys export, in a format.
    fn exported(app: &mut App, keys: &str, format: &str) -> String {
        press(app, keys);
        let effects = press(app, &format!(":export {format} x<enter>"));
        let [.., Effect::Export { format, picture, .. }] = &effects[..] else {
            panic!("{effects:?}")
        };
        picture.written(*format)
    }

    /// A screen to which a region of each source has failed.
    fn app() -> App {
        let failing = Some((SourceId::CloudWatch, ErrorKind::Denied));
        let mut app = App::new(init(Some(fleet_of(12, 1, readings(0, failing))), (120, 40)));
        app.update(Msg::Savings(Arc::new(denied())));
        let mut storage = storage();
        for (source, call) in
            [(SourceId::S3, "s3:ListAllMyBuckets"), (SourceId::Ebs, "ec2:DescribeVolumes")]
        {
            let error = SourceError::new(ErrorKind::Denied, call, "no", "allow it");
            storage.readings.push(crate::domain::Reading {
                source,
                scope: Scope::new("111122223333", "-"),
                taken_at: None,
                coverage: 0.0,
                state: SourceState::Failed(Arc::new(error)),
            });
        }
        app.update(Msg::Storage(Arc::new(storage)));
        app
    }

    #[test]
    fn what_failed_stands_in_every_export_of_the_screen() {
        for (keys, failed) in [
            ("1", "cloudwatch:GetMetricData"),
            ("3", "cloudwatch:GetMetricData"),
            (":commitments<enter>", "DescribeSavingsPlans"),
            (":rightsize<enter>", "DescribeSavingsPlans"),
            (":spot<enter>", "DescribeSavingsPlans"),
            (":resources<enter>", "DescribeSavingsPlans"),
            (":storage buckets<enter>", "s3:ListAllMyBuckets"),
            (":storage findings<enter>", "s3:ListAllMyBuckets"),
            (":storage findings<enter>", "ec2:DescribeVolumes"),
            (":storage ebs<enter>", "ec2:DescribeVolumes"),
        ] {
            let mut app = app();
            let document: Value = serde_json::from_str(&exported(&mut app, keys, "json")).unwrap();
            let errors = document["errors"].as_array().unwrap();
            let told = |e: &Value| e["message"].as_str().unwrap().contains(failed);
            assert!(errors.iter().any(told), "{keys}: {document:#}");
            assert!(!document["readings"].as_array().unwrap().is_empty(), "{keys}");
            if let Some(unknown) = document.get("net_unknown") {
                assert_eq!(unknown[0]["source"], "savings_plans", "{keys}");
            }
            for format in ["md", "table"] {
                let text = exported(&mut app, keys, format);
                assert!(text.replace('\\', "").contains(failed), "{keys} {format}: {text}");
            }
        }
    }

    #[test]
    fn a_csv_of_few_columns_still_says_which_row_it_is() {
        let mut app = app();
        let keys = "3:columns name,usd_per_hour<enter>";
        let head = exported(&mut app, keys, "csv").lines().next().unwrap().to_owned();
        assert_eq!(head, "name,usd_per_hour,instance_id,account,region");
        let head = exported(&mut self::app(), "3", "csv").lines().next().unwrap().to_owned();
        for name in ["instance_id", "account", "region", "tenancy", "memory"] {
            assert!(head.split(',').any(|column| column == name), "{head}");
        }
    }
}
