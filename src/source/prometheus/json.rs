//! Answers of the query API, read in one pass: series go to their consumer one by one, labels are
//! borrowed from the body, nothing is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A label: its name and value.
pub type Label<'a> = (Cow<'a, str>, Cow<'a, str>);

/// A point: Unix time (s) and value, which may be NaN or infinite.
pub type Point = (f64, f64);

/// An answer without its series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Status of the answer: `success` or `error`.
    pub status: String,
    /// Type of the error: `bad_data`, `execution`, `timeout`, …; empty without one.
    pub error_type: String,
    /// Error message; empty without one.
    pub error: String,
    /// Warnings of the server, mostly about parts of its data that did not answer.
    pub warnings: Vec<String>,
    /// Number of series that were read.
    pub series: usize,
    /// Number of series left out because they have more labels or points than the limit.
    pub left_out: usize,
}

/// The most labels of a series; those of GPUs have up to 40 with the labels of pods.
const LABELS_AT_MOST: usize = 256;

/// The most points of a series: Prometheus itself gives 11,000.
const POINTS_AT_MOST: usize = 12_000;

/// Warnings that are kept.
const WARNINGS_AT_MOST: usize = 16;

/// Reads an answer; `sink` gets each series with its labels and points (one of an instant vector,
/// several of a matrix). Series without points, such as native histograms, are left out.
///
/// # Errors
/// The body is no JSON of this form; series before the mistake were read.
pub fn read<'a>(
    body: &'a [u8],
    sink: &mut dyn FnMut(&[Label<'a>], &[Point]),
) -> Result<Head, serde_json::Error> {
    let mut head = Head::default();
    let mut reader = serde_json::Deserializer::from_slice(body);
    Top { head: &mut head, sink }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(head)
}

/// Text, borrowed where it has no escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(v.to_owned()))
    }
}

/// A number, bare or as text.
struct Number;

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<f64, D::Error> {
        d.deserialize_any(self)
    }
}

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E>(self, v: f64) -> Result<f64, E> {
        Ok(v)
    }

    fn visit_u64<E>(self, v: u64) -> Result<f64, E> {
        Ok(v as f64)
    }

    fn visit_i64<E>(self, v: i64) -> Result<f64, E> {
        Ok(v as f64)
    }

    fn visit_str<E>(self, v: &str) -> Result<f64, E> {
        // `+Inf`, `-Inf` and `NaN` are read as such; what is no number is no value.
        Ok(v.parse().unwrap_or(f64::NAN))
    }
}

struct Top<'s, 'a> {
    head: &'s mut Head,
    sink: &'s mut dyn FnMut(&[Label<'a>], &[Point]),
}

impl<'de> DeserializeSeed<'de> for Top<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer of the query API")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            match &*key {
                "status" => self.head.status = map.next_value_seed(Text)?.into_owned(),
                "errorType" => self.head.error_type = map.next_value_seed(Text)?.into_owned(),
                "error" => self.head.error = map.next_value_seed(Text)?.into_owned(),
                "warnings" => map.next_value_seed(Warnings(&mut self.head.warnings))?,
                "data" => {
                    map.next_value_seed(Data { head: &mut *self.head, sink: &mut *self.sink })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The first few of a list of texts; there may be `null` in its place.
struct Warnings<'s>(&'s mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Warnings<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Warnings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(words) = seq.next_element_seed(Text)? {
            if self.0.len() < WARNINGS_AT_MOST {
                self.0.push(words.into_owned());
            }
        }
        Ok(())
    }
}

struct Data<'s, 'a> {
    head: &'s mut Head,
    sink: &'s mut dyn FnMut(&[Label<'a>], &[Point]),
}

impl<'de> DeserializeSeed<'de> for Data<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Data<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the data of a query")
    }

    /// Errors come with `"data": null` from some servers.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            if key == "result" {
                map.next_value_seed(Series { head: &mut *self.head, sink: &mut *self.sink })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct Series<'s, 'a> {
    head: &'s mut Head,
    sink: &'s mut dyn FnMut(&[Label<'a>], &[Point]),
}

impl<'de> DeserializeSeed<'de> for Series<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Series<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of series")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let (mut labels, mut points) = (Vec::new(), Vec::new());
        loop {
            labels.clear();
            points.clear();
            let one = One { labels: &mut labels, points: &mut points };
            if seq.next_element_seed(one)?.is_none() {
                return Ok(());
            }
            if labels.len() > LABELS_AT_MOST || points.len() > POINTS_AT_MOST {
                self.head.left_out += 1;
            } else if !points.is_empty() {
                self.head.series += 1;
                (self.sink)(&labels, &points);
            }
        }
    }
}

struct One<'s, 'de> {
    labels: &'s mut Vec<Label<'de>>,
    points: &'s mut Vec<Point>,
}

impl<'de> DeserializeSeed<'de> for One<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a series")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            match &*key {
                "metric" => {
                    self.labels.clear();
                    map.next_value_seed(Labels(&mut *self.labels))?;
                }
                "value" => {
                    let point = map.next_value_seed(OnePoint)?;
                    self.points.clear();
                    self.points.push(point);
                }
                "values" => {
                    self.points.clear();
                    map.next_value_seed(Points(&mut *self.points))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct Labels<'s, 'de>(&'s mut Vec<Label<'de>>);

impl<'de> DeserializeSeed<'de> for Labels<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Labels<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("labels")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Text)? {
            let value = map.next_value_seed(Text)?;
            // One more than there may be says that there were more.
            if self.0.len() <= LABELS_AT_MOST {
                self.0.push((name, value));
            }
        }
        Ok(())
    }
}

struct OnePoint;

impl<'de> DeserializeSeed<'de> for OnePoint {
    type Value = Point;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Point, D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OnePoint {
    type Value = Point;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time and a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Point, A::Error> {
        let missing = |n| serde::de::Error::invalid_length(n, &"a time and a value");
        let time = seq.next_element_seed(Number)?.ok_or_else(|| missing(0))?;
        let value = seq.next_element_seed(Number)?.ok_or_else(|| missing(1))?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok((time, value))
    }
}

struct Points<'s>(&'s mut Vec<Point>);

impl<'de> DeserializeSeed<'de> for Points<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Points<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("points")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(point) = seq.next_element_seed(OnePoint)? {
            if self.0.len() <= POINTS_AT_MOST {
                self.0.push(point);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
