//! Lists that come in pages.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::super::AwsProvider;
use super::{Failed, Question, ask};
use crate::source::pages::Pages;

/// Row of a paged list.
pub trait Row: DeserializeOwned {
    /// What the answer calls the list.
    const LIST: &'static str;
}

/// One page of a list.
#[derive(Debug)]
pub struct Page<T> {
    /// Rows of the page; `None` when the answer has no list.
    pub rows: Option<Vec<T>>,
    /// Token of the next page; `None` or empty on the last one.
    pub next_token: Option<String>,
}

impl<'de, T: Row> Deserialize<'de> for Page<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Row> Visitor<'de> for Fields<T> {
            type Value = Page<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a page of {}", T::LIST)
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut page = Page { rows: None, next_token: None };
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "NextToken" | "nextToken" => page.next_token = map.next_value()?,
                        list if list == T::LIST => page.rows = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(page)
            }
        }

        from.deserialize_map(Fields(PhantomData))
    }
}

/// All rows of a list; `question` makes the request for a token, `None` for the first page. Err when a page fails or
/// the list does not end.
pub async fn every<T: Row, Q: Question<Answer = Page<T>>>(
    aws: &AwsProvider,
    region: &Arc<str>,
    question: impl Fn(Option<String>) -> Q,
) -> Result<Vec<T>, Failed> {
    Ok(up_to(usize::MAX, aws, region, question).await?.0)
}

/// The rows of a list as [`every`] reads them, no page more once there are `most`; true where more follow. Err as there.
pub async fn up_to<T: Row, Q: Question<Answer = Page<T>>>(
    most: usize,
    aws: &AwsProvider,
    region: &Arc<str>,
    question: impl Fn(Option<String>) -> Q,
) -> Result<(Vec<T>, bool), Failed> {
    let mut rows = Vec::new();
    let mut pages = Pages::of(Q::READ.call().action, region);
    while let Some(token) = pages.ask() {
        if rows.len() >= most {
            return Ok((rows, true));
        }
        let page = ask(aws, region, &question(token)).await?;
        rows.extend(page.rows.unwrap_or_default());
        pages.follow(page.next_token).map_err(|error| Failed { refusal: None, error })?;
    }
    Ok((rows, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Number(u32);

    impl Row for Number {
        const LIST: &'static str = "Numbers";
    }

    #[test]
    fn a_page_is_its_list_and_a_token_among_whatever_else() {
        let read = |json: &str| {
            let page = serde_json::from_str::<Page<Number>>(json).map_err(|e| e.to_string())?;
            let numbers = page.rows.map(|rows| rows.iter().map(|n| n.0).collect::<Vec<_>>());
            Ok::<_, String>((numbers, page.next_token))
        };
        let all = r#"{"Other": [{"x": "y"}], "Numbers": [1, 2], "NextToken": "t\u00e9"}"#;
        assert_eq!(read(all), Ok((Some(vec![1, 2]), Some("t\u{e9}".into()))));
        assert_eq!(read("{}"), Ok((None, None)));
        assert_eq!(read(r#"{"Numbers": null, "NextToken": null}"#), Ok((None, None)));
        assert!(read(r#"{"Numbers": 7}"#).is_err());
        assert!(read("[]").unwrap_err().contains("a page of Numbers"));
    }
}
