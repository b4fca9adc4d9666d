use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

type Owned = (Vec<(String, String)>, Vec<(f64, f64)>);

fn collect(body: &[u8]) -> Result<(Head, Vec<Owned>), serde_json::Error> {
    let mut out = Vec::new();
    let head = read(body, &mut |labels, points| {
        let labels = labels.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        out.push((labels, points.to_vec()));
    })?;
    Ok((head, out))
}

/// The same by way of a tree.
fn by_tree(body: &[u8]) -> Vec<Owned> {
    let tree: Value = serde_json::from_slice(body).unwrap();
    let number = |v: &Value| v.as_f64().or_else(|| v.as_str()?.parse().ok()).unwrap_or(f64::NAN);
    let point = |v: &Value| (number(&v[0]), number(&v[1]));
    let mut out = Vec::new();
    for series in tree["data"]["result"].as_array().unwrap() {
        let labels = series["metric"].as_object().unwrap().iter();
        let labels = labels.map(|(n, v)| (n.clone(), v.as_str().unwrap().to_owned())).collect();
        let points = match (&series["value"], &series["values"]) {
            (Value::Null, Value::Null) => continue,
            (one, Value::Null) => vec![point(one)],
            (_, many) => many.as_array().unwrap().iter().map(point).collect(),
        };
        out.push((labels, points));
    }
    out
}

#[track_caller]
fn same(a: &[Owned], b: &[Owned]) {
    assert_eq!(a.len(), b.len());
    for ((la, pa), (lb, pb)) in a.iter().zip(b) {
        assert_eq!(la, lb);
        assert_eq!(pa.len(), pb.len());
        for ((ta, va), (tb, vb)) in pa.iter().zip(pb) {
            let equal = va.to_bits() == vb.to_bits() || va.is_nan() && vb.is_nan();
            assert!(ta.to_bits() == tb.to_bits() && equal, "{va} {vb}");
        }
    }
}

fn recorded() -> Vec<(&'static str, &'static [u8])> {
    macro_rules! files {
        ($($name:literal),*) => {
            vec![$(($name, include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/tests/data/gpu/prometheus/", $name
            )) as &[u8])),*]
        };
    }
    files![
        "instant_vector.json",
        "instant_minlabels.json",
        "instant_vector_honor_labels_false.json",
        "range_matrix.json",
        "empty.json"
    ]
}

#[test]
fn recorded_answers_read_as_the_tree_has_them() {
    for (name, body) in recorded() {
        let (head, series) = collect(body).unwrap();
        assert_eq!(head.status, "success", "{name}");
        assert_eq!(head.series, series.len(), "{name}");
        same(&series, &by_tree(body));
    }
}

#[test]
fn errors_and_warnings_are_read() {
    let error =
        br#"{"status":"error","errorType":"timeout","error":"query timed out","data":null}"#;
    let (head, series) = collect(error).unwrap();
    assert_eq!((head.error_type.as_str(), series.len()), ("timeout", 0));
    let warned = br#"{"status":"success","data":{"resultType":"vector","result":null},
        "warnings":["store a: unavailable"],"infos":["x"]}"#;
    assert_eq!(collect(warned).unwrap().0.warnings, ["store a: unavailable"]);
}

#[test]
fn order_escapes_numbers_and_histograms() {
    let body = br#"{"data":{"result":[
        {"value":[1.5,"NaN"],"metric":{"a":"\u0041\"b","c":"d"}},
        {"metric":{},"value":[2,"+Inf"]},
        {"metric":{},"value":[3,4.5]},
        {"metric":{"le":"1"},"histogram":[1,{"count":"1"}]},
        {"metric":{},"values":[[1,"1"],[2,"-Inf"]]}
    ],"resultType":"vector"},"status":"success"}"#;
    let (head, series) = collect(body).unwrap();
    assert_eq!(head.series, 4, "the histogram has no value");
    assert_eq!(series[0].0[0], ("a".to_owned(), "A\"b".to_owned()));
    assert!(series[0].1[0].1.is_nan());
    assert_eq!(series[1].1, [(2.0, f64::INFINITY)]);
    assert_eq!(series[2].1, [(3.0, 4.5)]);
    assert_eq!(series[3].1, [(1.0, 1.0), (2.0, f64::NEG_INFINITY)]);
}

fn answers() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        any::<f64>().prop_map(|v| if v.is_finite() { v.to_string() } else { "NaN".into() }),
        Just("+Inf".to_owned()),
        Just("-Inf".to_owned()),
    ];
    let point = (0.0..4e9_f64, value).prop_map(|(t, v)| json!([t, v]));
    let labels = proptest::collection::btree_map("[a-zA-Z_]{1,8}", ".{0,12}", 0..6);
    let points = prop_oneof![
        point.clone().prop_map(|p| ("value", p)),
        proptest::collection::vec(point, 1..5).prop_map(|p| ("values", Value::Array(p))),
    ];
    let series = (labels, points).prop_map(|(labels, (name, points))| {
        let mut one = json!({ "metric": labels });
        one[name] = points;
        one
    });
    proptest::collection::vec(series, 0..8).prop_map(
        |result| json!({"status": "success", "data": {"resultType": "vector", "result": result}}),
    )
}

proptest! {
    #[test]
    fn any_answer_reads_as_the_tree_has_it(answer in answers(), pretty: bool) {
        let body = if pretty {
            serde_json::to_vec_pretty(&answer).unwrap()
        } else {
            serde_json::to_vec(&answer).unwrap()
        };
        same(&collect(&body).unwrap().1, &by_tree(&body));
    }

    #[test]
    fn no_mutation_makes_it_panic(
        answer in answers(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut: proptest::sample::Index,
    ) {
        let mut body = serde_json::to_vec(&answer).unwrap();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        body.truncate(cut.index(body.len()) + 1);
        let _ = collect(&body);
    }
}
