//! Whether a bill is imported, and how old it is; facts in, checks out.

use jiff::{SignedDuration, Timestamp};

use super::{Check, Status};
use crate::cache::{BillsError, KeptBills};
use crate::domain::text::clean;
use crate::view::format::{age, plural};

/// Id of the check of imported bills.
pub const BILL: &str = "bill";

/// A bill of a period that can still change is old after this: exports are delivered each day.
const OLD_AFTER: SignedDuration = SignedDuration::from_hours(72);

/// Columns of CUR 2.0 that burntop reads (AWS Data Exports, "CUR 2.0 table dictionary").
const COLUMNS: &str = "identity_line_item_id, identity_time_interval, bill_billing_period_start_date, \
    bill_invoice_id, bill_payer_account_id, bill_payer_account_name, line_item_usage_account_id, \
    line_item_usage_account_name, line_item_line_item_type, line_item_usage_start_date, \
    line_item_usage_end_date, line_item_product_code, line_item_usage_type, line_item_operation, \
    line_item_resource_id, line_item_usage_amount, line_item_currency_code, \
    line_item_unblended_cost, line_item_line_item_description, product, product_region_code, \
    product_product_family, pricing_unit, pricing_public_on_demand_cost, \
    savings_plan_savings_plan_a_r_n, savings_plan_savings_plan_effective_cost, \
    savings_plan_total_commitment_to_date, savings_plan_used_commitment, \
    reservation_reservation_a_r_n, reservation_effective_cost, \
    reservation_unused_amortized_upfront_fee_for_billing_period, \
    reservation_unused_recurring_fee, resource_tags, cost_category";

/// Whether a bill is imported, and how old it is. `exports` is the number of configured ones.
pub fn bill(kept: &Result<KeptBills, BillsError>, exports: usize, now: Timestamp) -> Check {
    let kept = match kept {
        Ok(kept) => kept,
        Err(error) => {
            let fix = "mend the file; bills are imported again by `burntop bill import`";
            return Check::fail(BILL, clean(&error.to_string()), fix);
        }
    };
    if let Some(error) = kept.unreadable.first() {
        let fix = "`burntop bill import` with the path of the export";
        return Check::warn(BILL, clean(&error.to_string()), fix);
    }
    let newest = kept.heads.iter().max_by_key(|head| (head.period, head.read_at));
    let Some(newest) = newest else {
        return match exports {
            0 => Check {
                fix: Some(how_to_export()),
                ..Check::new(BILL, Status::Skip, "no bill is imported")
            },
            n => Check::warn(
                BILL,
                format!("no bill is imported; {} configured", plural(n, "export")),
                "`burntop bill import`",
            ),
        };
    };
    let old = now.duration_since(newest.read_at);
    let text = format!(
        "{}; newest {} of {} ({}), imported {} ago",
        plural(kept.heads.len(), "billing period"),
        newest.period,
        newest.export,
        newest.state.word(),
        age(old.as_secs().max(0)).trim()
    );
    if old > OLD_AFTER {
        return Check::warn(BILL, text, "`burntop bill import`, for example each day by cron");
    }
    Check::ok(BILL, text)
}

/// How a bill is had: an export of CUR 2.0 each day into a bucket that may be written by Data Exports.
fn how_to_export() -> String {
    let export = format!(
        "{{\"Name\": \"burntop\", \"DataQuery\": {{\"QueryStatement\": \"SELECT {COLUMNS} FROM \
         COST_AND_USAGE_REPORT\", \"TableConfigurations\": {{\"COST_AND_USAGE_REPORT\": \
         {{\"TIME_GRANULARITY\": \"DAILY\", \"INCLUDE_RESOURCES\": \"TRUE\"}}}}}}, \
         \"DestinationConfigurations\": {{\"S3Destination\": {{\"S3Bucket\": \"BUCKET\", \
         \"S3Prefix\": \"exports\", \"S3Region\": \"us-east-1\", \"S3OutputConfigurations\": \
         {{\"OutputType\": \"CUSTOM\", \"Format\": \"PARQUET\", \"Compression\": \"PARQUET\", \
         \"Overwrite\": \"OVERWRITE_REPORT\"}}}}}}, \
         \"RefreshCadence\": {{\"Frequency\": \"SYNCHRONOUS\"}}}}"
    );
    format!(
        "have AWS write one each day to a BUCKET whose policy lets bcm-data-exports.amazonaws.com \
         write:\n\
         aws bcm-data-exports create-export --region us-east-1 --export '{export}'\n\
         then `burntop bill import s3://BUCKET/exports/burntop`, or import any bill that is there"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bill::{BillHead, PeriodState};
    use crate::domain::sample;

    fn now() -> Timestamp {
        "2026-11-20T12:00:00Z".parse().unwrap()
    }

    fn head(period: &str, read_at: &str) -> BillHead {
        BillHead {
            export: "cur".into(),
            state: PeriodState::Open,
            lines: 1,
            has_resources: true,
            has_days: true,
            last_day: 1,
            read_at: read_at.parse().unwrap(),
            ..sample::bill_head(period)
        }
    }

    fn checked(heads: Vec<BillHead>, exports: usize) -> Check {
        bill(&Ok(KeptBills { heads, unreadable: vec![] }), exports, now())
    }

    #[test]
    fn without_a_bill_it_says_how_to_get_one() {
        let none = checked(vec![], 0);
        assert_eq!(none.status, Status::Skip);
        let fix = none.fix.unwrap();
        let command = fix.lines().find(|line| line.starts_with("aws bcm-data-exports")).unwrap();
        // What is copied is one command with valid JSON in it.
        let json = command.split('\'').nth(1).unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        let query = json["DataQuery"]["QueryStatement"].as_str().unwrap();
        assert!(query.contains("line_item_unblended_cost, ") && !query.contains("  "), "{query}");
        let configured = checked(vec![], 2);
        assert_eq!(configured.status, Status::Warn);
        assert!(configured.message.contains("2 exports configured"));
    }

    #[test]
    fn an_imported_bill_has_an_age() {
        let october = head("2026-10", "2026-11-20T06:00:00Z");
        let fresh = checked(vec![head("2026-09", "2026-11-20T06:00:00Z"), october], 1);
        assert_eq!(fresh.status, Status::Ok);
        assert_eq!(
            fresh.message,
            "2 billing periods; newest 2026-10 of cur (open), imported 6h ago"
        );
        let old = checked(vec![head("2026-10", "2026-11-10T06:00:00Z")], 1);
        assert_eq!(old.status, Status::Warn);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let broken = BillsError::Damaged { export: "cur".into(), period: "2026-10".into() };
        let kept = KeptBills { heads: vec![], unreadable: vec![broken.clone()] };
        let check = bill(&Ok(kept), 1, now());
        assert!(check.status == Status::Warn && check.message.contains("2026-10 of cur"));
        assert_eq!(bill(&Err(broken), 1, now()).status, Status::Fail);
    }
}
