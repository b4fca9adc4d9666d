//! What a query of the user says of each day.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;

use super::Prometheus;
use crate::domain::daily::{DAY_S, day_of, midnight};
use crate::domain::{ErrorKind, SourceError};

/// The longest warning taken over from a server.
const MAX_WORDS: usize = 300;

/// Call in messages.
const CALL: &str = "prometheus:query_range";

/// What helps where the query is not understood.
const FIX: &str = "correct the query: its value at a midnight, UTC, is the count of the day that ends then, such as \
                   sum(increase(predictions_total[1d]))";

impl Prometheus {
    /// Values of a query for the days of `days`, UTC: of each the sample at the midnight that ends it. Days without a sample are
    /// absent; values are raw. Err when the query fails, when the answer has more than one series, and when the server warns
    /// that it is not whole.
    pub async fn days(
        &self,
        query: &str,
        days: &Range<Date>,
    ) -> Result<Vec<(Date, f64)>, SourceError> {
        let Some((begin, end)) = midnight(days.start).zip(midnight(days.end)) else {
            return Ok(Vec::new());
        };
        let (from, to) = (begin.as_second() + i64::from(DAY_S), end.as_second());
        if from > to {
            return Ok(Vec::new());
        }
        let body = self.api.range(query, from, to, DAY_S as u32).await.map_err(of_query)?;
        let mut found = Vec::new();
        let mut is_first = true;
        let head = body.read(&mut |_, points| {
            if is_first {
                let day = |(at, value): &(f64, f64)| Some((ended(*at, from, to)?, *value));
                found.extend(points.iter().filter_map(day));
            }
            is_first = false;
        });
        let head = head.map_err(of_query)?;
        let name = &self.settings.name;
        if head.series > 1 || head.left_out > 0 {
            let message = match head.left_out {
                0 => format!("{name}: the query has {} series, and a count is one", head.series),
                _ => format!("{name}: a series of the query is longer than what is read"),
            };
            let fix = "add them up in the query: sum(…)";
            return Err(SourceError::new(ErrorKind::Refused, CALL, &message, fix));
        }
        if let Some(warning) = head.warnings.first() {
            let words: String = warning.chars().take(MAX_WORDS).collect();
            let message = format!("{name}: the answer may not be whole: {words}");
            let fix = "run it again when all parts of the server answer";
            return Err(SourceError::new(ErrorKind::Unavailable, CALL, &message, fix));
        }
        Ok(found)
    }
}

/// Says of a query of the user what helps.
fn of_query(mut error: SourceError) -> SourceError {
    if error.kind == ErrorKind::Refused {
        FIX.clone_into(&mut error.fix);
    }
    error
}

/// The day that ends at a sample's time, Unix s; `None` for one that was not asked for.
fn ended(at: f64, from: i64, to: i64) -> Option<Date> {
    let is_asked = at >= from as f64 && at <= to as f64 && at % f64::from(DAY_S) == 0.0;
    // Exact: it is a whole number between two others.
    let begin = is_asked.then_some(at as i64 - i64::from(DAY_S))?;
    Timestamp::from_second(begin).ok().map(day_of)
}

#[cfg(test)]
mod tests {
    use super::super::{Prometheus, Settings};
    use super::*;
    use crate::source::server::{Reply, Request, Server};

    const QUERY: &str = "sum(increase(predictions_total[1d]))";

    fn days() -> Range<Date> {
        "2026-11-01".parse().unwrap().."2026-11-04".parse().unwrap()
    }

    async fn ask(answer: &'static str) -> Result<Vec<(Date, f64)>, SourceError> {
        let server = Server::start(move |_, seen: &Request| {
            assert!(seen.path.ends_with("/api/v1/query_range"), "{}", seen.path);
            let field = |name: &str| seen.field(name).unwrap_or_default();
            // Midnights of 2, 3 and 4 November: each sample is of the day that ends then.
            assert_eq!(
                [field("query"), field("start"), field("end"), field("step")],
                [QUERY, "1793577600", "1793750400", "86400"]
            );
            Reply::json(answer)
        });
        let settings = Settings { proxy: false, ..Settings::new("prod", &server.url) };
        Prometheus::new(settings).unwrap().days(QUERY, &days()).await
    }

    #[tokio::test]
    async fn a_sample_is_of_the_day_that_ends_then_and_what_was_not_asked_for_is_left_out() {
        let found = ask(
            r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":
            [[1793491200,"1"],[1793577600,"120"],[1793664000,"NaN"],[1793700000,"7"],
             [1793750400,"0.5"],[1793836800,"9"]]}]}}"#,
        )
        .await
        .unwrap();
        let text: Vec<String> = found.iter().map(|(day, v)| format!("{day} {v}")).collect();
        assert_eq!(text, ["2026-11-01 120", "2026-11-02 NaN", "2026-11-03 0.5"]);
    }

    #[tokio::test]
    async fn an_answer_without_series_has_no_days_and_an_empty_range_is_not_asked() {
        let empty = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
        assert_eq!(ask(empty).await.unwrap(), []);
        let server = Server::start(|_, _| Reply::json("{}"));
        let settings = Settings { proxy: false, ..Settings::new("prod", &server.url) };
        let none = days().start..days().start;
        assert_eq!(Prometheus::new(settings).unwrap().days(QUERY, &none).await.unwrap(), []);
        assert_eq!(server.requests(), 0);
    }

    #[tokio::test]
    async fn several_series_a_warning_and_a_wrong_query_are_errors_that_say_what_helps() {
        for (answer, said, helps) in [
            (
                r#"{"status":"success","data":{"resultType":"matrix","result":[
                {"metric":{"a":"1"},"values":[[1793577600,"1"]]},
                {"metric":{"a":"2"},"values":[[1793577600,"2"]]}]}}"#,
                "2 series",
                "sum(…)",
            ),
            (
                r#"{"status":"success","data":{"resultType":"matrix","result":[
                {"metric":{},"values":[[1793577600,"1"]]}]},"warnings":["store b did not answer"]}"#,
                "store b did not answer",
                "again",
            ),
            (
                r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#,
                "parse error",
                "the count of the day",
            ),
        ] {
            let error = ask(answer).await.unwrap_err();
            assert!(error.message.contains(said), "{error}");
            assert!(error.message.starts_with("prod: "), "{error}");
            assert!(error.fix.contains(helps), "{}", error.fix);
        }
    }
}
