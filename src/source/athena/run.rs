//! Running a query: started, asked after with growing pauses, its pages read; stopped when the user
//! stops, or when it takes too long.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::service::{QueryService, Row, State};
use crate::domain::{ErrorKind, SourceError};
use crate::source::pages::Pages;

/// A query, and what to do with its answer.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The statement.
    pub sql: &'a str,
    /// True for a SELECT, whose first row holds the column names.
    pub has_header: bool,
    /// Advice for a query that takes too long or has too large an answer.
    pub narrower: &'static str,
}

/// Pauses between polls of a query.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// First pause; each further one is twice as long.
    pub first: Duration,
    /// Longest single pause.
    pub most: Duration,
    /// Sum of all pauses, after which the query is stopped.
    pub in_all: Duration,
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(200),
            most: Duration::from_secs(5),
            // Athena's own limit of a query, 30 minutes.
            in_all: Duration::from_mins(30),
        }
    }
}

/// Result of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Rows, without the header row.
    pub rows: Vec<Row>,
    /// Bytes scanned; `None` when Athena does not report them.
    pub scanned: Option<u64>,
}

const OPERATION: &str = "athena:StartQueryExecution";

/// The most rows of an answer, the most bytes that are kept of them, and the most pages: a tree has
/// at most some hundred thousand rows, 1,000 on a page.
const ROWS_AT_MOST: usize = 1_000_000;
const BYTES_AT_MOST: usize = 256 << 20;
const PAGES_AT_MOST: usize = 4_000;

/// Bytes that a row takes.
fn room(row: &Row) -> usize {
    let cell =
        |cell: &Option<String>| size_of::<Option<String>>() + cell.as_ref().map_or(0, String::len);
    size_of::<Row>() + row.iter().map(cell).sum::<usize>()
}

/// An answer that is cut would have sums that are too small.
fn beyond(narrower: &str) -> SourceError {
    let said = format!(
        "the answer is larger than {ROWS_AT_MOST} rows or {} MiB, the most that is read",
        BYTES_AT_MOST >> 20
    );
    SourceError::new(ErrorKind::Malformed, "athena:GetQueryResults", &said, narrower)
}

/// Runs a query to its end. Err when the query fails, takes longer than `waiting` allows, or `stop` is cancelled; a running query is stopped then.
pub async fn run(
    service: &dyn QueryService,
    query: Query<'_>,
    waiting: Waiting,
    stop: &CancellationToken,
) -> Result<Answer, SourceError> {
    let Query { sql, has_header, narrower } = query;
    let id = service.start(sql).await?;
    let ended = tokio::select! {
        ended = finished(service, &id, narrower, waiting) => ended,
        () = stop.cancelled() => {
            let (said, fix) = ("the query was stopped", "run it again");
            Err(SourceError::new(ErrorKind::Refused, OPERATION, said, fix).into())
        }
    };
    let scanned = match ended {
        Ok(scanned) => scanned,
        Err(Ended { error, is_over: true }) => return Err(error),
        Err(Ended { error, is_over: false }) => {
            // What went wrong is what the user must know; the stop is a courtesy.
            let _ = service.stop(&id).await;
            return Err(error);
        }
    };
    let mut answer = Answer { rows: Vec::new(), scanned };
    let mut pages = Pages::of("athena:GetQueryResults", "Athena").of_any_number();
    let (mut bytes, mut read) = (0, 0);
    while let Some(token) = pages.ask() {
        if read == PAGES_AT_MOST {
            return Err(beyond(narrower));
        }
        read += 1;
        let (rows, next) = service.page(&id, token).await?;
        bytes += rows.iter().map(room).sum::<usize>();
        answer.rows.extend(rows);
        if answer.rows.len() > ROWS_AT_MOST || bytes > BYTES_AT_MOST {
            return Err(beyond(narrower));
        }
        pages.follow(next)?;
    }
    if has_header && !answer.rows.is_empty() {
        answer.rows.remove(0);
    }
    Ok(answer)
}

/// Why a query did not end well.
struct Ended {
    error: SourceError,
    /// True when there is nothing left to stop.
    is_over: bool,
}

impl From<SourceError> for Ended {
    fn from(error: SourceError) -> Self {
        Self { error, is_over: false }
    }
}

async fn finished(
    service: &dyn QueryService,
    id: &str,
    narrower: &'static str,
    waiting: Waiting,
) -> Result<Option<u64>, Ended> {
    let (mut pause, mut waited) = (waiting.first, Duration::ZERO);
    loop {
        match service.state(id).await? {
            State::Done(scanned) => return Ok(scanned),
            State::Failed(why) => {
                let fix = "see the query in Athena's history; --print-sql prints it";
                let error = SourceError::new(ErrorKind::Malformed, OPERATION, &why, fix);
                return Err(Ended { error, is_over: true });
            }
            State::Going => {}
        }
        if waited >= waiting.in_all {
            let message = format!("the query took longer than {} s", waiting.in_all.as_secs());
            return Err(SourceError::new(ErrorKind::Timeout, OPERATION, &message, narrower).into());
        }
        tokio::time::sleep(pause).await;
        waited += pause;
        pause = (pause * 2).min(waiting.most);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;

    use super::super::service::CatalogTable;
    use super::*;

    /// Answers from a script and writes down what it is asked.
    struct Script {
        states: Mutex<Vec<State>>,
        asked: Mutex<Vec<String>>,
    }

    impl Script {
        fn new(states: &[State]) -> Self {
            let states = states.iter().rev().cloned().collect();
            Self { states: Mutex::new(states), asked: Mutex::default() }
        }

        fn asked(&self) -> Vec<String> {
            self.asked.lock().unwrap().clone()
        }
    }

    fn row(text: &str) -> Row {
        vec![Some(text.to_owned())]
    }

    #[async_trait]
    impl QueryService for Script {
        async fn start(&self, sql: &str) -> Result<String, SourceError> {
            self.asked.lock().unwrap().push(format!("start {sql}"));
            Ok("q1".to_owned())
        }

        async fn state(&self, id: &str) -> Result<State, SourceError> {
            self.asked.lock().unwrap().push(format!("state {id}"));
            let mut states = self.states.lock().unwrap();
            Ok(states.pop().unwrap_or(State::Going))
        }

        async fn page(
            &self,
            _id: &str,
            token: Option<String>,
        ) -> Result<(Vec<Row>, Option<String>), SourceError> {
            Ok(match token.as_deref() {
                None => (vec![row("name"), row("a")], Some("2".to_owned())),
                Some(_) => (vec![row("b")], None),
            })
        }

        async fn table(&self, _: &str, _: &str) -> Result<CatalogTable, SourceError> {
            unreachable!()
        }

        async fn stop(&self, id: &str) -> Result<(), SourceError> {
            self.asked.lock().unwrap().push(format!("stop {id}"));
            Ok(())
        }
    }

    fn query(sql: &str) -> Query<'_> {
        Query { sql, has_header: true, narrower: "ask for less" }
    }

    const QUICK: Waiting = Waiting {
        first: Duration::from_millis(1),
        most: Duration::from_millis(2),
        in_all: Duration::from_millis(20),
    };

    fn block<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn all_pages_are_read_and_the_names_are_no_row() {
        let script = Script::new(&[State::Going, State::Done(Some(7))]);
        let stop = CancellationToken::new();
        let answer = block(run(&script, query("SELECT 1"), QUICK, &stop)).unwrap();
        assert_eq!(answer, Answer { rows: vec![row("a"), row("b")], scanned: Some(7) });
        assert_eq!(script.asked(), ["start SELECT 1", "state q1", "state q1"]);
    }

    /// Gives the same page for ever, each time as a new one.
    struct Endless(Vec<Row>);

    #[async_trait]
    impl QueryService for Endless {
        async fn start(&self, _sql: &str) -> Result<String, SourceError> {
            Ok("q".to_owned())
        }

        async fn state(&self, _id: &str) -> Result<State, SourceError> {
            Ok(State::Done(None))
        }

        async fn page(
            &self,
            _id: &str,
            token: Option<String>,
        ) -> Result<(Vec<Row>, Option<String>), SourceError> {
            let next = token.map_or(1, |t| t.parse::<u32>().unwrap() + 1);
            Ok((self.0.clone(), Some(next.to_string())))
        }

        async fn table(&self, _: &str, _: &str) -> Result<CatalogTable, SourceError> {
            unreachable!()
        }

        async fn stop(&self, _id: &str) -> Result<(), SourceError> {
            Ok(())
        }
    }

    mod hostile {
        use super::*;

        #[test]
        fn an_answer_without_end_is_refused_and_not_cut() {
            let wide = vec![vec![Some("x".repeat(1 << 20))]; 8];
            let pages = [Vec::new(), vec![row("a"); 1_000], vec![vec![None; 1_000]; 50], wide];
            let number = pages.len();
            for page in pages {
                let service = Endless(page);
                let stop = CancellationToken::new();
                let error = block(run(&service, query("x"), QUICK, &stop)).unwrap_err();
                assert!(error.message.contains("the most that is read"), "{error}");
                assert_eq!(error.kind, ErrorKind::Malformed);
            }
            println!("hostile: athena: {number} inputs");
            assert_eq!(number, 4);
        }
    }

    #[test]
    fn what_failed_is_said_and_what_goes_on_is_stopped() {
        let script = Script::new(&[State::Failed("no such table".to_owned())]);
        let stop = CancellationToken::new();
        let error = block(run(&script, query("x"), QUICK, &stop)).unwrap_err();
        assert_eq!(error.message, "no such table");
        assert!(!script.asked().contains(&"stop q1".to_owned()));

        let script = Script::new(&[]);
        let error = block(run(&script, query("x"), QUICK, &stop)).unwrap_err();
        assert!(error.message.contains("took longer"), "{error}");
        assert!(script.asked().contains(&"stop q1".to_owned()));

        let script = Script::new(&[]);
        stop.cancel();
        let error = block(run(&script, query("x"), QUICK, &stop)).unwrap_err();
        assert_eq!(error.message, "the query was stopped");
        assert!(script.asked().contains(&"stop q1".to_owned()));
    }
}
