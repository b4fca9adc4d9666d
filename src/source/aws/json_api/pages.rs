//! Lists that come in pages, and an end for those that would have none.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::super::AwsProvider;
use super::super::error;
use super::{Failed, Question, ask};

/// A row of a list.
pub trait Row: DeserializeOwned {
    /// What the answer calls the list.
    const LIST: &'static str;
}

/// One page of a list.
#[derive(Debug)]
pub struct Page<T> {
    /// The rows; `None` where the answer has no list.
    pub rows: Option<Vec<T>>,
    /// What the next page is asked with; `None` or empty on the last one.
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
                        "NextToken" => page.next_token = map.next_value()?,
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

/// Every row of a list; `question` asks for the page of a token, first without one.
pub async fn every<T: Row, Q: Question<Answer = Page<T>>>(
    aws: &AwsProvider,
    region: &Arc<str>,
    question: impl Fn(Option<String>) -> Q,
) -> Result<Vec<T>, Failed> {
    let mut rows = Vec::new();
    let mut tokens = Tokens::default();
    let mut token = None;
    loop {
        let page = ask(aws, region, &question(token)).await?;
        rows.extend(page.rows.unwrap_or_default());
        token = page.next_token.filter(|token| !token.is_empty());
        let Some(next) = &token else { return Ok(rows) };
        tokens.follow(next).map_err(|endless| Failed {
            refusal: None,
            error: error::malformed(&endless.to_string(), aws.place(Q::READ.call(), region)),
        })?;
    }
}

/// Pages of one list that are read. At 100 rows each this is more than any quota allows.
const MOST: usize = 1_000;

/// The longest token that is sent back, bytes. The services promise at most 100,000 characters.
const LONGEST: usize = 100_000;

/// The tokens of one list so far, by their hash: they are long.
#[derive(Debug, Default)]
struct Tokens {
    seen: HashSet<u64>,
    hash: RandomState,
}

/// A list that would never end, or never as it should.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Endless {
    #[error("the list leads back to a page that was read before")]
    Loop,
    #[error("the list has more than {MOST} pages")]
    TooMany,
    #[error("the next page has a token of more than {LONGEST} bytes")]
    Token,
}

impl Tokens {
    /// Takes note of the next page's token.
    fn follow(&mut self, token: &str) -> Result<(), Endless> {
        if token.len() > LONGEST {
            return Err(Endless::Token);
        }
        if self.seen.len() + 1 >= MOST {
            return Err(Endless::TooMany);
        }
        if self.seen.insert(self.hash.hash_one(token)) { Ok(()) } else { Err(Endless::Loop) }
    }
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

    #[test]
    fn lists_end() {
        let mut tokens = Tokens::default();
        assert_eq!(tokens.follow("a"), Ok(()));
        assert_eq!(tokens.follow("b"), Ok(()));
        assert_eq!(tokens.follow("a"), Err(Endless::Loop), "a circle of two as well");
        assert_eq!(tokens.follow(&"x".repeat(LONGEST + 1)), Err(Endless::Token));
        let mut tokens = Tokens::default();
        let followed = (0..).map_while(|n: usize| tokens.follow(&n.to_string()).ok()).count();
        assert_eq!(followed + 1, MOST, "and the first page has no token");
        assert_eq!(tokens.follow("more"), Err(Endless::TooMany));
    }
}
