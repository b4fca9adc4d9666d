//! Reads a list of a service page by page, at the pace of the rate limiter.

use std::error::Error;
use std::sync::Arc;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

use super::AwsProvider;
use super::calls::Call;
use super::limit::Api;
use crate::domain::SourceError;
use crate::source::pages::Pages;

impl AwsProvider {
    /// Asks for all pages of a list, with a permit of `api` for each. `ask` sends the request for the page of a token
    /// (`None` for the first page); `take` keeps what is wanted of an answer and returns the token of the next page.
    /// Err when a page cannot be read, when `take` fails, and for a list without end.
    pub(super) async fn each_page<A, E, F>(
        &self,
        (api, call): (Api, &'static Call),
        region: &Arc<str>,
        mut ask: impl FnMut(Option<String>) -> F,
        mut take: impl FnMut(A) -> Result<Option<String>, SourceError>,
    ) -> Result<(), SourceError>
    where
        F: Future<Output = Result<A, SdkError<E, HttpResponse>>>,
        E: ProvideErrorMetadata + Error + 'static,
    {
        let mut pages = Pages::of(call.action, region);
        while let Some(token) = pages.ask() {
            let _permit = self.enter(api, region, 0).await;
            let answer = ask(token).await.map_err(|e| self.failed(call, region, &e))?;
            pages.follow(take(answer)?)?;
        }
        Ok(())
    }

    /// Items of all pages of a list, like [`Self::each_page`]; `page` takes an answer apart into the items of the page
    /// and the token of the next.
    pub(super) async fn all_pages<A, I, E, F>(
        &self,
        of: (Api, &'static Call),
        region: &Arc<str>,
        ask: impl FnMut(Option<String>) -> F,
        page: impl Fn(A) -> (Option<Vec<I>>, Option<String>),
    ) -> Result<Vec<I>, SourceError>
    where
        F: Future<Output = Result<A, SdkError<E, HttpResponse>>>,
        E: ProvideErrorMetadata + Error + 'static,
    {
        let mut all = Vec::new();
        let take = |answer| {
            let (items, next) = page(answer);
            all.extend(items.unwrap_or_default());
            Ok(next)
        };
        self.each_page(of, region, ask, take).await?;
        Ok(all)
    }
}
