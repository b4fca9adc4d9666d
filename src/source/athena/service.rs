//! A service that runs SQL queries, and what it says.

use async_trait::async_trait;

use crate::domain::SourceError;

/// A row of a result: text by column; `None` for NULL.
pub type Row = Vec<Option<String>>;

/// A table of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogTable {
    /// Name and type of each column, those included by which the table is partitioned; in the words of Hive:
    /// `string`, `map<string,string>`.
    pub columns: Vec<(String, String)>,
    /// Where its data lie, `s3://bucket/prefix`; `None` for a view.
    pub location: Option<String>,
}

/// Progress of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Queued or running.
    Going,
    /// Succeeded; with the bytes scanned, `None` when Athena does not report them.
    Done(Option<u64>),
    /// Failed or cancelled, with the reason.
    Failed(String),
}

/// A service that runs SQL queries: Athena, or a double in tests.
#[async_trait]
pub trait QueryService: Send + Sync {
    /// Starts a query and returns its id; its cost begins here. Err when the service refuses or cannot be reached.
    async fn start(&self, sql: &str) -> Result<String, SourceError>;

    /// Progress of the query. Err when the service cannot be asked.
    async fn state(&self, id: &str) -> Result<State, SourceError>;

    /// A page of the result, with the token of the next page; `None` as the token on the last one. Err when the page
    /// cannot be read.
    async fn page(
        &self,
        id: &str,
        token: Option<String>,
    ) -> Result<(Vec<Row>, Option<String>), SourceError>;

    /// Columns and location of a table. Err when it is not there, and when the service cannot be asked.
    async fn table(&self, database: &str, name: &str) -> Result<CatalogTable, SourceError>;

    /// Stops a query; the bytes scanned so far are billed. Err when the service refuses or cannot be reached.
    async fn stop(&self, id: &str) -> Result<(), SourceError>;
}
