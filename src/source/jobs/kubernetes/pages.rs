//! Lists in pages: each item by itself, anew from the first page where the server has forgotten where it goes on.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::OPERATION;
use super::session::Session;
use super::wire::List;
use crate::domain::json::why_no_json;
use crate::domain::{ErrorKind, SourceError};
use crate::source::http::{Answer, Expect, encode_form};
use crate::source::pages::Pages;

/// Items of one page.
const ITEMS: &str = "500";

/// How often a list is begun anew.
const BEGUN_AT_MOST: usize = 3;

/// Items of a list.
pub(super) struct Listed<T> {
    /// Items, those of the pages before `trouble`.
    pub items: Vec<T>,
    /// Number of items that could not be read.
    pub odd: usize,
    /// Why the list is not whole; `None` where it is.
    pub trouble: Option<SourceError>,
}

impl<T> Listed<T> {
    fn cut(self, trouble: SourceError) -> Self {
        Self { trouble: Some(trouble), ..self }
    }

    fn empty() -> Self {
        Self { items: Vec::new(), odd: 0, trouble: None }
    }
}

/// Reads a list; `keep` makes of an item what is kept of it, and `None` of one that is not. A page that fails is asked for once more.
pub(super) async fn list<T: DeserializeOwned, K>(
    session: &mut Session<'_>,
    path: &str,
    most: usize,
    mut keep: impl FnMut(T) -> Option<K>,
) -> Listed<K> {
    for _ in 0..BEGUN_AT_MOST {
        let mut listed = Listed::empty();
        let mut pages = Pages::of(OPERATION, path);
        let is_gone = loop {
            let Some(token) = pages.ask() else { return listed };
            let mut query = vec![("limit", ITEMS)];
            query.extend(token.as_deref().map(|token| ("continue", token)));
            let asked = format!("{path}?{}", encode_form(&query));
            let page = match page::<T>(session, &asked).await {
                Ok(Some(page)) => page,
                Ok(None) if token.is_some() => break true,
                Ok(None) => break false,
                Err(error) => return listed.cut(error),
            };
            listed.odd += page.odd;
            listed.items.extend(page.items.into_iter().filter_map(&mut keep));
            if let Err(error) = pages.follow(page.next) {
                let fix = "see what stands between this machine and the API server";
                return listed.cut(SourceError::new(error.kind, OPERATION, &error.message, fix));
            }
            if listed.items.len() > most {
                listed.items.truncate(most);
                let why = format!(
                    "the list of {path} has more than {most} items, the most that are read"
                );
                let fix = "name the namespaces to be read: `namespaces` of this source";
                return listed.cut(SourceError::new(ErrorKind::Unavailable, OPERATION, &why, fix));
            }
        };
        if !is_gone {
            break;
        }
    }
    let why =
        format!("{path}: the list went out of date before it was read, {BEGUN_AT_MOST} times");
    let fix =
        "burntop tries again by itself; a server that is slow to answer may be short of memory";
    Listed::empty().cut(SourceError::new(ErrorKind::Other, OPERATION, &why, fix))
}

struct PageOf<T> {
    items: Vec<T>,
    odd: usize,
    next: Option<String>,
}

/// A page; `None` where the server does not know any more where the list goes on. Once more where that may help.
async fn page<T: DeserializeOwned>(
    session: &mut Session<'_>,
    path: &str,
) -> Result<Option<PageOf<T>>, SourceError> {
    match once(session, path).await {
        Err(error) if error.kind.is_transient() && error.kind != ErrorKind::Throttled => {
            once(session, path).await
        }
        other => other,
    }
}

async fn once<T: DeserializeOwned>(
    session: &mut Session<'_>,
    path: &str,
) -> Result<Option<PageOf<T>>, SourceError> {
    let answer = session.ask(path).await?;
    match answer.status {
        410 => Ok(None),
        200 => parsed(answer).map(Some),
        _ => Err(session.failure(answer)),
    }
}

/// A page as its items: all at once, and one by one where one of them is odd.
fn parsed<T: DeserializeOwned>(answer: Answer) -> Result<PageOf<T>, SourceError> {
    let answer = answer.checked(Expect::Json)?;
    let wrong = |why: &str| {
        let fix = "check that the server of the kubeconfig is the API server of a cluster; burntop \
                   tries again by itself";
        answer.place.error(ErrorKind::Malformed, &format!("answers with no list: {why}"), fix)
    };
    let is_list = |kind: &Option<String>| kind.as_deref().is_some_and(|of| of.ends_with("List"));
    let next = |list: &mut Option<super::wire::ListMeta>| list.take().unwrap_or_default().next;
    if let Ok(mut list) = serde_json::from_slice::<List<T>>(&answer.body)
        && is_list(&list.kind)
    {
        let next = next(&mut list.metadata);
        return Ok(PageOf { items: list.items.unwrap_or_default(), odd: 0, next });
    }
    let list = serde_json::from_slice::<List<Value>>(&answer.body);
    let mut list = list.map_err(|error| wrong(&why_no_json(&error)))?;
    if !is_list(&list.kind) {
        return Err(wrong("it is of another kind"));
    }
    let next = next(&mut list.metadata);
    let all = list.items.unwrap_or_default();
    let count = all.len();
    let items: Vec<T> =
        all.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect();
    Ok(PageOf { odd: count - items.len(), items, next })
}
