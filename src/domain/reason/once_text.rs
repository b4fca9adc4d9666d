//! Values that older versions kept as their words, and tapes still have as such.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{self, MapAccessDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer as _, MapAccess, Visitor};

/// A value that was a text once.
pub(super) trait OnceText: Sized {
    /// Deserializes the form of today. Err for a text that names no value.
    fn own<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
    /// The value that keeps a text.
    fn of_text(text: &str) -> Self;
}

/// Reads the form of today, and from formats that describe themselves also the text that older versions wrote. The
/// cache does not describe itself: there a change of form is another layout number.
pub(super) fn read<'de, T: OnceText, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Reader<T>(PhantomData<T>);
    impl<'de, T: OnceText> Visitor<'de> for Reader<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a reason or the words of one")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            let named: Result<T, value::Error> = T::own(text.into_deserializer());
            Ok(named.unwrap_or_else(|_| T::of_text(text)))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::own(MapAccessDeserializer::new(map))
        }
    }
    if from.is_human_readable() { from.deserialize_any(Reader(PhantomData)) } else { T::own(from) }
}
