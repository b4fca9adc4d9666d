//! The inputs of simulators as a table, so that the screen can draw a slider for each, a command can
//! set it by name, and a check knows its range.

use super::sheet::{Quantity, Unit};
use super::{LeverError, LeverKind};

/// An input of the simulator `T`: name, range and slider step.
pub struct Field<T: 'static> {
    /// Name in the scenario's file and for `--set`.
    pub name: &'static str,
    /// Label on screen.
    pub label: &'static str,
    /// Unit of the value.
    pub unit: Unit,
    /// Lowest allowed value.
    pub low: f64,
    /// Highest allowed value; may be infinite.
    pub high: f64,
    /// Change by one key press.
    pub step: f64,
    /// Where a user finds the value.
    pub hint: &'static str,
    pub(super) get: fn(&T) -> Option<f64>,
    pub(super) set: fn(&mut T, Option<f64>),
}

impl<T> Field<T> {
    /// Allowed range, in words.
    fn allowed(&self) -> String {
        let low = self.unit.show(self.low);
        match self.high.is_finite() {
            true => format!("from {low} to {}", self.unit.show(self.high)),
            false => format!("{low} or more"),
        }
    }
}

/// An input of a simulator with its current value, as a slider shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Name to set it by; for an element of a list with its number from 1: `phase.2.one_off_usd`.
    pub name: String,
    /// Label on screen.
    pub label: String,
    /// Unit of the value.
    pub unit: Unit,
    /// Lowest allowed value.
    pub low: f64,
    /// Highest allowed value; infinite where there is none.
    pub high: f64,
    /// Change by one key press.
    pub step: f64,
    /// Where a user finds the value.
    pub hint: &'static str,
    /// Current value; `None` = not given.
    pub value: Option<f64>,
}

impl Knob {
    /// The input as a [`Quantity`] of a sheet.
    pub fn quantity(&self) -> Quantity {
        Quantity {
            name: self.name.clone(),
            label: self.label.clone(),
            number: self.value,
            unit: self.unit,
        }
    }
}

/// Makes a table of [`Field`]s of a struct whose inputs are `Option<f64>`.
macro_rules! fields {
    ($of:ty; $($name:ident $label:literal $unit:ident $low:literal .. $high:expr, $step:literal, $hint:literal;)*) => {
        &[$(crate::whatif::levers::field::Field::<$of> {
            name: stringify!($name),
            label: $label,
            unit: crate::whatif::levers::sheet::Unit::$unit,
            low: $low,
            high: $high,
            step: $step,
            hint: $hint,
            get: |of| of.$name,
            set: |of, value| of.$name = value,
        }),*]
    };
}
pub(super) use fields;

/// The fields of `of` as they stand. `within`: the list's name and the element's number, from 1.
pub(super) fn knobs<T>(of: &T, fields: &[Field<T>], within: Option<(&str, usize)>) -> Vec<Knob> {
    let knob = |field: &Field<T>| Knob {
        name: match within {
            Some((list, number)) => format!("{list}.{number}.{}", field.name),
            None => field.name.to_owned(),
        },
        label: match within {
            Some((list, number)) => format!("{list} {number}: {}", field.label),
            None => field.label.to_owned(),
        },
        unit: field.unit,
        low: field.low,
        high: field.high,
        step: field.step,
        hint: field.hint,
        value: (field.get)(of),
    };
    fields.iter().map(knob).collect()
}

/// Sets the field of this name. False: there is none.
pub(super) fn set<T>(of: &mut T, fields: &[Field<T>], name: &str, value: Option<f64>) -> bool {
    let field = fields.iter().find(|field| field.name == name);
    if let Some(field) = field {
        (field.set)(of, value);
    }
    field.is_some()
}

/// Sets `list.number.field` in a list. False: there is none.
pub(super) fn set_in<T>(
    list: &mut [T],
    called: &str,
    fields: &[Field<T>],
    name: &str,
    value: Option<f64>,
) -> bool {
    let found = element(list, called, name);
    found.is_some_and(|(element, field)| set(element, fields, field, value))
}

/// Element and field that `list.number.field` names (numbers from 1); `None` for a name of another form or an element
/// that is not there.
pub(super) fn element<'a, 'n, T>(
    list: &'a mut [T],
    called: &str,
    name: &'n str,
) -> Option<(&'a mut T, &'n str)> {
    let (number, field) = name.strip_prefix(called)?.strip_prefix('.')?.split_once('.')?;
    let place = number.parse::<usize>().ok()?.checked_sub(1)?;
    list.get_mut(place).map(|element| (element, field))
}

/// The inputs of one struct, checked as they are read.
pub(super) struct Inputs<'a, T: 'static> {
    kind: LeverKind,
    of: &'a T,
    fields: &'static [Field<T>],
}

impl<'a, T> Inputs<'a, T> {
    pub(super) fn new(kind: LeverKind, of: &'a T, fields: &'static [Field<T>]) -> Self {
        Self { kind, of, fields }
    }

    /// The input of this name, in its range; `None` where it is not given.
    pub(super) fn maybe(&self, name: &'static str) -> Result<Option<f64>, LeverError> {
        let Some(field) = self.fields.iter().find(|field| field.name == name) else {
            return Ok(None);
        };
        match (field.get)(self.of) {
            Some(value) if !(field.low..=field.high).contains(&value) => Err(LeverError::Outside {
                lever: self.kind,
                input: name,
                value: field.unit.show(value),
                allowed: field.allowed(),
            }),
            value => Ok(value),
        }
    }

    /// The input of this name, in its range; an error that says where to take it from where it is
    /// not given.
    pub(super) fn need(&self, name: &'static str) -> Result<f64, LeverError> {
        let hint = self.fields.iter().find(|field| field.name == name).map_or("", |f| f.hint);
        self.maybe(name)?.ok_or(LeverError::Missing { lever: self.kind, input: name, hint })
    }
}
