//! Why a verdict is what it is, and why a net is not known: as values. `view::reasons` words them.

mod instance;
mod net;
mod once_text;
mod resource;
mod unchecked;

use std::sync::Arc;

use jiff::civil::Date;
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

use once_text::OnceText;

pub use instance::{InstanceReason, Measure, MeasuredUse};
pub use net::{NetNote, NetUnknown};
pub use resource::{ResourceAdvice, ResourceFix, ResourceReason, ResourceUse};
pub use unchecked::Unchecked;

/// Why a verdict is what it is. Tapes of older versions have a sentence instead: it is read as [`Why::Text`], and
/// written as they did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Reason {
    /// What decided.
    pub why: Why,
    /// Last UTC day of an exemption by tag that is over; `None` where there was none.
    pub exemption_ended: Option<Date>,
}

/// What decided a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Why {
    /// The tag that exempts it.
    Exempt(ExemptBy),
    /// What an instance did, or what is not known of it.
    Instance(InstanceReason),
    /// What a resource that is no instance did, or what is not known of it.
    Resource(ResourceReason),
    /// Sentence of a version that kept no values; clean text.
    Text(Arc<str>),
}

/// How a tag exempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExemptBy {
    /// Without end.
    Always,
    /// Until the end of this UTC day.
    Until(Date),
    /// Its value is neither `true` nor a date.
    Malformed,
}

/// Length of an idle stretch up to the judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lasted {
    /// Whole hours.
    pub hours: u32,
    /// True where it may have begun earlier.
    pub at_least: bool,
}

impl<T: Into<Why>> From<T> for Reason {
    fn from(why: T) -> Self {
        Self { why: why.into(), exemption_ended: None }
    }
}

impl From<InstanceReason> for Why {
    fn from(reason: InstanceReason) -> Self {
        Self::Instance(reason)
    }
}

impl From<ResourceReason> for Why {
    fn from(reason: ResourceReason) -> Self {
        Self::Resource(reason)
    }
}

impl From<&str> for Why {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self { why: Why::Text(text), exemption_ended: None } if to.is_human_readable() => {
                text.serialize(to)
            }
            _ => Self::serialize(self, to),
        }
    }
}

impl OnceText for Reason {
    fn own<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::deserialize(from)
    }

    fn of_text(text: &str) -> Self {
        text.into()
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        once_text::read(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ResourceSignal;

    fn some() -> [Reason; 4] {
        let day = jiff::civil::date(2026, 6, 30);
        let lasted = Some(Lasted { hours: 168, at_least: true });
        let gpus = InstanceReason::GpusQuiet { gpus: 8, lasted, top: 0.5, limit: 5.0 };
        let silent = ResourceReason::NotFetched(ResourceSignal::Requests);
        [
            Reason { exemption_ended: Some(day), ..gpus.into() },
            silent.into(),
            Why::Exempt(ExemptBy::Until(day)).into(),
            "No GPU worked.".into(),
        ]
    }

    #[test]
    fn it_comes_back_from_the_cache_and_from_tapes() {
        for reason in some() {
            let bytes = postcard::to_stdvec(&reason).unwrap();
            assert_eq!(postcard::from_bytes::<Reason>(&bytes).unwrap(), reason);
            let json = serde_json::to_string(&reason).unwrap();
            assert_eq!(serde_json::from_str::<Reason>(&json).unwrap(), reason, "{json}");
            let value = serde_json::to_value(&reason).unwrap();
            assert_eq!(serde_json::from_value::<Reason>(value).unwrap(), reason);
        }
    }

    #[test]
    fn a_sentence_of_an_older_tape_stays_what_it_was() {
        let json = r#""Nothing ran for 7 d.""#;
        let read: Reason = serde_json::from_str(json).unwrap();
        assert_eq!(read, "Nothing ran for 7 d.".into());
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        for odd in ["7", "null", "[]", "{}", r#"{"why":"Nothing"}"#, r#"{"why":{"Instance":1}}"#] {
            assert!(serde_json::from_str::<Reason>(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn it_takes_little_of_the_memory_of_a_verdict() {
        assert!(
            size_of::<Reason>() <= 72,
            "{} bytes; a sentence took 16 + 100",
            size_of::<Reason>()
        );
    }
}
