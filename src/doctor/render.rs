//! The report as text and as JSON.

use std::fmt::Write;

use serde_json::json;

use super::{Report, Status};

/// Name and version of the JSON format.
pub const SCHEMA: &str = "burntop/doctor/1";

impl Report {
    /// The report as aligned text.
    pub fn to_text(&self) -> String {
        let width = self.checks.iter().map(|c| c.id.len()).max().unwrap_or(0);
        let mut out = String::new();
        let mut account = None;
        // Writing to a string cannot fail.
        for check in &self.checks {
            if check.account.is_some() && check.account != account {
                account.clone_from(&check.account);
                let _ = writeln!(out, "\n{}", account.as_deref().unwrap_or_default());
            }
            let _ = writeln!(
                out,
                "  {:<4}  {:<width$}  {}",
                check.status.word(),
                check.id,
                check.message
            );
            if let Some(fix) = &check.fix {
                // Lines for the configuration stand below each other, to be copied.
                let indent = format!("\n        {:<width$}       ", "");
                let fix = fix.replace('\n', &indent);
                let _ = writeln!(out, "        {:<width$}  fix: {fix}", "");
            }
        }
        let count = |s: Status| self.checks.iter().filter(|c| c.status == s).count();
        let _ = writeln!(
            out,
            "\n{} ok, {} warned about, {} failed, {} skipped",
            count(Status::Ok),
            count(Status::Warn),
            count(Status::Fail),
            count(Status::Skip)
        );
        out
    }

    /// The report as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "schema": SCHEMA,
            "generated_at": self.at.to_string(),
            "status": self.status(),
            "checks": self.checks,
        })
    }
}
