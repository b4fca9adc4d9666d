//! The JSON schema of the configuration file, and what it says in words.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::file::FileConfig;

/// The JSON schema (draft 2020-12) of the file, without references, so that editors and the
/// checker of [`super::check`] read the same self-contained document.
pub fn json_schema() -> Value {
    schema_of::<FileConfig>()
}

/// The schema of another file, as [`json_schema`] is that of the configuration.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    without_null(&mut schema);
    on_one_line(&mut schema);
    schema
}

/// Descriptions come from doc comments, which are wrapped.
fn on_one_line(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if key == "description" => *text = text.replace('\n', " "),
                    other => on_one_line(other),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(on_one_line),
        _ => {}
    }
}

/// TOML has no null: an optional key is left out. Takes `null` away from types and alternatives,
/// and the `default: null` that goes with it.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|t| t != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    map.insert("type".into(), one);
                }
            }
            if let Some(Value::Array(any)) = map.get_mut("anyOf") {
                any.retain(|s| s["type"] != "null");
                if let [Value::Object(one)] = any.as_slice() {
                    let one = one.clone();
                    map.shift_remove("anyOf");
                    for (key, value) in one {
                        map.entry(key).or_insert(value);
                    }
                }
            }
            if map.get("default").is_some_and(|d| !d.is_string() && !d.is_boolean()) {
                map.shift_remove("default");
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(all) => all.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// What a schema accepts, in words: "a list of strings", "one of `auto`, `ascii`".
pub fn accepted(schema: &Value) -> String {
    let words = constants(schema);
    if let [only] = words.as_slice() {
        return format!("`{only}`");
    }
    if !words.is_empty() {
        let all: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
        return format!("one of {}", all.join(", "));
    }
    if let Some(any) = alternatives(schema) {
        return any.iter().map(accepted).collect::<Vec<_>>().join(" or ");
    }
    match schema["type"].as_str() {
        Some("string") => "a string".into(),
        Some("boolean") => "true or false".into(),
        Some("integer") => format!("a whole number{}", range(schema)),
        Some("number") => format!("a number{}", range(schema)),
        Some("array") => match schema["items"]["type"].as_str() {
            Some("string") => "a list of strings".into(),
            Some("object") => "a list of tables".into(),
            _ => "a list".into(),
        },
        Some("object") => "a table".into(),
        _ => "any value".into(),
    }
}

/// Alternatives (`anyOf`, `oneOf`) of a schema; `None` where it has none.
pub fn alternatives(schema: &Value) -> Option<&[Value]> {
    schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()).map(Vec::as_slice)
}

/// The words an enumeration consists of; empty for anything else.
pub fn constants(schema: &Value) -> Vec<&str> {
    if let Some(word) = schema["const"].as_str() {
        return vec![word];
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).collect();
    }
    match schema["oneOf"].as_array() {
        Some(all) if all.iter().all(|s| !constants(s).is_empty()) => {
            all.iter().flat_map(constants).collect()
        }
        _ => Vec::new(),
    }
}

/// Properties of a table's schema; `None` for anything else.
pub fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object()
}

/// Keys of closed tables that are words of other tables as well: near to one of them is no slip.
const COMMON: [&str; 22] = [
    "csv",
    "per",
    "filter",
    "usd",
    "usd_per_hour",
    "gpus",
    "instances",
    "map",
    "names",
    "shared",
    "aliases",
    "period",
    "levels",
    "name",
    "profile",
    "regions",
    "team",
    "project",
    "cost_center",
    "external_id",
    "role_arn",
    "exclude",
];

/// The tables that the schema closes (an unknown key in them is an error) and their keys, without
/// those that other tables have too: what protects, and must not be lost by a slip.
pub fn closed_keys(schema: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for (name, sub) in properties(schema).into_iter().flatten() {
        let table = if sub["items"].is_object() { &sub["items"] } else { sub };
        if table["additionalProperties"] == false {
            out.push(name.clone());
            let keys = properties(table).into_iter().flatten().map(|(key, _)| key.clone());
            out.extend(keys.filter(|key| !COMMON.contains(&key.as_str())));
        }
    }
    out
}

fn range(schema: &Value) -> String {
    match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(" of at least {min}"),
        (None, Some(max)) => format!(" of at most {max}"),
        (None, None) => String::new(),
    }
}

/// All keys of the file in dotted form, tables of free names as `views.*.filter`.
pub fn key_paths(schema: &Value) -> Vec<String> {
    fn walk(schema: &Value, path: &str, out: &mut Vec<String>) {
        if let Some(map) = properties(schema) {
            for (key, sub) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                out.push(path.clone());
                walk(sub, &path, out);
            }
        }
        if schema["additionalProperties"].is_object() {
            walk(&schema["additionalProperties"], &format!("{path}.*"), out);
        }
        if schema["items"].is_object() {
            walk(&schema["items"], path, out);
        }
    }
    let mut out = Vec::new();
    walk(schema, "", &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_pinned() {
        let text = serde_json::to_string_pretty(&json_schema()).unwrap();
        insta::assert_snapshot!(text);
    }

    #[test]
    fn nothing_is_nullable_and_nothing_refers() {
        let text = json_schema().to_string();
        assert!(!text.contains("null") && !text.contains("$ref"), "{text}");
    }

    #[test]
    fn says_what_is_accepted() {
        let schema = json_schema();
        let of = |path: &[&str]| {
            let mut s = &schema;
            for p in path {
                s = &s["properties"][*p];
            }
            accepted(s)
        };
        assert_eq!(of(&["ui", "symbols"]), "one of `auto`, `unicode`, `ascii`");
        assert_eq!(of(&["regions"]), "`all` or a list of strings");
        assert_eq!(of(&["cache", "max_mb"]), "a whole number from 16 to 1048576");
        assert_eq!(of(&["own_cost", "cap_usd_per_day"]), "a number from 0 to 10000");
        assert_eq!(of(&["accounts"]), "a list of tables");
        assert_eq!(of(&["ui", "mouse"]), "true or false");
        assert_eq!(of(&["keys"]), "a table");
    }
}
