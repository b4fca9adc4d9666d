//! The door for values that are read from bytes: tapes, the cache, the audit log.
//!
//! A value that was clean when it was written need not be when it is read: files come from elsewhere
//! and are changed. [`Cleaned`] stands around any deserializer and cleans every text that passes,
//! so that no type and no field can be forgotten.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::text;

/// A deserializer that cleans every text, keys of maps included, with [`text::clean`]. Bytes and texts behind [`exact`]
/// pass unchanged.
pub struct Cleaned<T> {
    inner: T,
    /// Longest text, characters.
    longest: usize,
}

impl<T> Cleaned<T> {
    /// Cleans texts and cuts each to [`text::MAX_CHARS`].
    pub fn new(inner: T) -> Self {
        Self { inner, longest: text::MAX_CHARS }
    }

    /// Cleans texts without cutting them, for input whose total size is bounded.
    pub fn of_any_length(inner: T) -> Self {
        Self { inner, longest: usize::MAX }
    }

    fn around<U>(&self, inner: U) -> Cleaned<U> {
        Cleaned { inner, longest: self.longest }
    }

    fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        text::clean_to(text, self.longest)
    }
}

/// For `#[serde(with)]` on a text that has to stay as it is, such as a key of S3 that is compared or
/// sent back. Who shows it cleans it.
pub mod exact {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, Error, Visitor};
    use serde::ser::{Serialize, Serializer};

    /// Name of the newtype by which [`super::Cleaned`] recognises such a text; no format writes it.
    pub(super) const NAME: &str = "burntop::exact";

    /// Serializes the value as a newtype named [`NAME`], which formats write like the bare value.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_newtype_struct(NAME, value)
    }

    /// Deserializes the value without cleaning it.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        struct Inside<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Inside<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
                T::deserialize(from)
            }

            // What was read into memory first, as tagged enums are.
            fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
                T::deserialize(serde::de::value::StrDeserializer::new(text))
            }
        }
        from.deserialize_newtype_struct(NAME, Inside(std::marker::PhantomData))
    }
}

macro_rules! forward {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.around(visitor);
            self.inner.$method(visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Cleaned<D> {
    type Error = D::Error;

    forward! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32
        deserialize_i64 deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_option deserialize_unit deserialize_seq deserialize_map
        deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.around(visitor);
        self.inner.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        if name == exact::NAME {
            return self.inner.deserialize_newtype_struct(name, visitor);
        }
        let visitor = self.around(visitor);
        self.inner.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.around(visitor);
        self.inner.deserialize_tuple(len, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.around(visitor);
        self.inner.deserialize_tuple_struct(name, len, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.around(visitor);
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.around(visitor);
        self.inner.deserialize_enum(name, variants, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! pass {
    ($($method:ident: $type:ty),*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Cleaned<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    pass! {
        visit_bool: bool, visit_i8: i8, visit_i16: i16, visit_i32: i32, visit_i64: i64,
        visit_i128: i128, visit_u8: u8, visit_u16: u16, visit_u32: u32, visit_u64: u64,
        visit_u128: u128, visit_f32: f32, visit_f64: f64, visit_bytes: &[u8],
        visit_borrowed_bytes: &'de [u8], visit_byte_buf: Vec<u8>
    }

    fn visit_char<E: Error>(self, c: char) -> Result<V::Value, E> {
        self.inner.visit_char(if text::is_unsafe(c) { char::REPLACEMENT_CHARACTER } else { c })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        match self.clean(text) {
            Cow::Borrowed(text) => self.inner.visit_str(text),
            Cow::Owned(text) => self.inner.visit_string(text),
        }
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        match self.clean(text) {
            Cow::Borrowed(text) => self.inner.visit_borrowed_str(text),
            Cow::Owned(text) => self.inner.visit_string(text),
        }
    }

    fn visit_string<E: Error>(self, text: String) -> Result<V::Value, E> {
        match self.clean(&text) {
            Cow::Borrowed(_) => self.inner.visit_string(text),
            Cow::Owned(text) => self.inner.visit_string(text),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        let from = self.around(from);
        self.inner.visit_some(from)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        let from = self.around(from);
        self.inner.visit_newtype_struct(from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<V::Value, A::Error> {
        let from = self.around(from);
        self.inner.visit_seq(from)
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<V::Value, A::Error> {
        let from = self.around(from);
        self.inner.visit_map(from)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<V::Value, A::Error> {
        let from = self.around(from);
        self.inner.visit_enum(from)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Cleaned<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        let from = self.around(from);
        self.inner.deserialize(from)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Cleaned<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.around(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Cleaned<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.around(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.around(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Cleaned<A> {
    type Error = A::Error;
    type Variant = Cleaned<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let longest = self.longest;
        let seed = self.around(seed);
        let (value, inner) = self.inner.variant_seed(seed)?;
        Ok((value, Cleaned { inner, longest }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Cleaned<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.around(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.around(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.around(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde::{Deserialize, Serialize};

    use super::super::text::hostile::TEXTS;
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        One(String),
        Two(String, String),
        Three { text: String },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(Arc<str>);

    /// Texts in every place that serde has for one.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Everywhere {
        text: String,
        some: Option<Arc<str>>,
        list: Vec<String>,
        pair: (String, u8),
        map: BTreeMap<String, String>,
        kinds: Vec<Kind>,
        wrapped: Wrapped,
        #[serde(deserialize_with = "super::super::intern::text")]
        shared: Arc<str>,
        c: char,
        #[serde(with = "exact")]
        key: String,
        #[serde(with = "exact")]
        keys: Vec<String>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Of {
            #[serde(flatten)]
            value: BTreeMap<String, String>,
        },
    }

    fn everywhere(t: &str) -> Everywhere {
        let s = t.to_owned();
        Everywhere {
            text: s.clone(),
            some: Some(t.into()),
            list: vec![s.clone(), s.clone()],
            pair: (s.clone(), 1),
            map: BTreeMap::from([(s.clone(), s.clone())]),
            kinds: vec![
                Kind::One(s.clone()),
                Kind::Two(s.clone(), s.clone()),
                Kind::Three { text: s.clone() },
            ],
            wrapped: Wrapped(t.into()),
            shared: t.into(),
            c: t.chars().next().unwrap_or('x'),
            key: s.clone(),
            keys: vec![s],
        }
    }

    /// What should come of `t`: clean everywhere but in the exact ones.
    fn wanted(t: &str) -> Everywhere {
        let c = t.chars().next().map_or('x', |c| if text::is_unsafe(c) { '\u{FFFD}' } else { c });
        Everywhere { key: t.into(), keys: vec![t.into()], c, ..everywhere(&text::clean(t)) }
    }

    mod hostile {
        use super::*;

        #[test]
        fn every_text_of_every_shape_is_cleaned_and_the_exact_ones_are_not() {
            let mut n = 0;
            for t in TEXTS.iter().copied().chain([&*"\u{1b}]52;".repeat(200_000)]) {
                let value = everywhere(t);
                let json = serde_json::to_vec(&value).unwrap();
                let from = &mut serde_json::Deserializer::from_slice(&json);
                assert_eq!(
                    Everywhere::deserialize(Cleaned::new(from)).unwrap(),
                    wanted(t),
                    "{t:?}"
                );
                // From a value in memory as well, whose texts are owned.
                let from: serde_json::Value = serde_json::from_slice(&json).unwrap();
                assert_eq!(
                    Everywhere::deserialize(Cleaned::new(from)).unwrap(),
                    wanted(t),
                    "{t:?}"
                );
                let blob = postcard::to_stdvec(&value).unwrap();
                let mut from = postcard::Deserializer::from_bytes(&blob);
                let read = Everywhere::deserialize(Cleaned::new(&mut from)).unwrap();
                assert_eq!(read, wanted(t), "{t:?}");
                assert!(from.finalize().unwrap().is_empty());

                let tagged = Tagged::Of { value: BTreeMap::from([(t.into(), t.into())]) };
                let json = serde_json::to_vec(&tagged).unwrap();
                let from = &mut serde_json::Deserializer::from_slice(&json);
                let read = Tagged::deserialize(Cleaned::new(from)).unwrap();
                let clean = text::clean(t).into_owned();
                let want = Tagged::Of { value: BTreeMap::from([(clean.clone(), clean)]) };
                assert_eq!(read, want, "{t:?}");
                n += 4;
            }
            assert!(n >= 100, "{n}");
            println!("hostile: decoded values: {n} inputs");
        }
    }

    #[test]
    fn bytes_are_as_without_it() {
        // Layouts of the cache hold: neither the door nor `exact` changes what is written.
        #[derive(Serialize)]
        struct Plain {
            key: String,
            keys: Vec<String>,
        }
        #[derive(Serialize, Deserialize)]
        struct Exact {
            #[serde(with = "exact")]
            key: String,
            #[serde(with = "exact")]
            keys: Vec<String>,
        }
        let (key, keys) = ("a\u{1b}b".to_owned(), vec!["c".to_owned()]);
        let plain = Plain { key: key.clone(), keys: keys.clone() };
        let exact = Exact { key, keys };
        assert_eq!(postcard::to_stdvec(&plain).unwrap(), postcard::to_stdvec(&exact).unwrap());
        assert_eq!(serde_json::to_vec(&plain).unwrap(), serde_json::to_vec(&exact).unwrap());
    }

    #[test]
    fn what_is_long_stays_long_where_that_is_asked_for() {
        let long = "x".repeat(10_000) + "\u{202e}";
        let from = serde_json::Value::from(long.clone());
        let read = String::deserialize(Cleaned::of_any_length(from)).unwrap();
        assert_eq!(read, long.replace('\u{202e}', "\u{FFFD}"));
    }
}
