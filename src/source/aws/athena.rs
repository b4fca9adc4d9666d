//! Queries over inventories and bills by Athena.

use std::sync::Arc;

use async_trait::async_trait;
use aws_sdk_athena::types::{
    Column, QueryExecutionContext, QueryExecutionState, ResultConfiguration,
};

use super::AwsProvider;
use super::calls::{
    GET_QUERY_EXECUTION, GET_QUERY_RESULTS, GET_TABLE_METADATA, START_QUERY_EXECUTION,
    STOP_QUERY_EXECUTION,
};
use super::limit::Api;
use crate::domain::SourceError;
use crate::domain::text::clean;
use crate::source::athena::service::{CatalogTable, QueryService, Row, State};

/// Catalogue in which Athena finds tables: that of Glue.
const CATALOG: &str = "AwsDataCatalog";

/// Athena of one account and region.
pub struct AwsQueries {
    /// Credentials and clients of the account.
    pub provider: Arc<AwsProvider>,
    /// Region of the data and of the results.
    pub region: Arc<str>,
    /// Athena workgroup that the queries run in.
    pub workgroup: String,
    /// Database of unqualified table names.
    pub database: String,
    /// Location of results, `s3://bucket/prefix/`; `None` for the workgroup's setting.
    pub output: Option<String>,
}

#[async_trait]
impl QueryService for AwsQueries {
    async fn start(&self, sql: &str) -> Result<String, SourceError> {
        let aws = &self.provider;
        let call = &START_QUERY_EXECUTION;
        let client = aws.clients().await.athena(&self.region);
        let _permit = aws.enter(Api::Athena, &self.region, 0).await;
        let context = QueryExecutionContext::builder().database(&self.database).build();
        let output = self
            .output
            .as_ref()
            .map(|at| ResultConfiguration::builder().output_location(at).build());
        let answer = client
            .start_query_execution()
            .query_string(sql)
            .work_group(&self.workgroup)
            .query_execution_context(context)
            .set_result_configuration(output)
            .send()
            .await
            .map_err(|e| aws.failed(call, &self.region, &e))?;
        Ok(answer.query_execution_id.unwrap_or_default())
    }

    async fn state(&self, id: &str) -> Result<State, SourceError> {
        let aws = &self.provider;
        let call = &GET_QUERY_EXECUTION;
        let client = aws.clients().await.athena(&self.region);
        let _permit = aws.enter(Api::Athena, &self.region, 0).await;
        let answer = client
            .get_query_execution()
            .query_execution_id(id)
            .send()
            .await
            .map_err(|e| aws.failed(call, &self.region, &e))?;
        let execution = answer.query_execution;
        let scanned = execution
            .as_ref()
            .and_then(|e| e.statistics.as_ref()?.data_scanned_in_bytes)
            .and_then(|b| u64::try_from(b).ok());
        let status = execution.and_then(|e| e.status);
        let why = status.as_ref().and_then(|s| s.state_change_reason.clone()).unwrap_or_default();
        Ok(match status.and_then(|s| s.state) {
            Some(QueryExecutionState::Succeeded) => State::Done(scanned),
            Some(QueryExecutionState::Failed) => State::Failed(clean(&why).into_owned()),
            Some(QueryExecutionState::Cancelled) => {
                State::Failed(format!("the query was cancelled: {}", clean(&why)))
            }
            _ => State::Going,
        })
    }

    async fn page(
        &self,
        id: &str,
        token: Option<String>,
    ) -> Result<(Vec<Row>, Option<String>), SourceError> {
        let aws = &self.provider;
        let call = &GET_QUERY_RESULTS;
        let client = aws.clients().await.athena(&self.region);
        let _permit = aws.enter(Api::Athena, &self.region, 0).await;
        let answer = client
            .get_query_results()
            .query_execution_id(id)
            .set_next_token(token)
            .send()
            .await
            .map_err(|e| aws.failed(call, &self.region, &e))?;
        let rows = answer.result_set.and_then(|s| s.rows).unwrap_or_default();
        let cells = |row: aws_sdk_athena::types::Row| {
            row.data.unwrap_or_default().into_iter().map(|d| d.var_char_value).collect()
        };
        let next = answer.next_token.filter(|t| !t.is_empty());
        Ok((rows.into_iter().map(cells).collect(), next))
    }

    async fn table(&self, database: &str, name: &str) -> Result<CatalogTable, SourceError> {
        let aws = &self.provider;
        let call = &GET_TABLE_METADATA;
        let client = aws.clients().await.athena(&self.region);
        let _permit = aws.enter(Api::Athena, &self.region, 0).await;
        let answer = client
            .get_table_metadata()
            .catalog_name(CATALOG)
            .database_name(database)
            .table_name(name)
            .send()
            .await
            .map_err(|e| aws.failed(call, &self.region, &e))?;
        let Some(table) = answer.table_metadata else { return Ok(CatalogTable::default()) };
        let columns = table.columns.unwrap_or_default().into_iter();
        let columns = columns.chain(table.partition_keys.unwrap_or_default());
        let column = |column: Column| (column.name, column.r#type.unwrap_or_default());
        let mut parameters = table.parameters.unwrap_or_default();
        let location = parameters.remove("location").filter(|at| !at.is_empty());
        Ok(CatalogTable { columns: columns.map(column).collect(), location })
    }

    async fn stop(&self, id: &str) -> Result<(), SourceError> {
        let aws = &self.provider;
        let call = &STOP_QUERY_EXECUTION;
        let client = aws.clients().await.athena(&self.region);
        let _permit = aws.enter(Api::Athena, &self.region, 0).await;
        client
            .stop_query_execution()
            .query_execution_id(id)
            .send()
            .await
            .map_err(|e| aws.failed(call, &self.region, &e))?;
        Ok(())
    }
}
