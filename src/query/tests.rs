//! The language against a field list of its own.

use std::fmt;

use proptest::prelude::*;

use super::literal::Literal;
use super::parse::{MAX_BYTES, MAX_NESTING};
use super::*;

#[derive(Clone, Debug, PartialEq)]
enum F {
    Team,
    State,
    Gpu,
    Rate,
    Wasted,
    Net,
    Mem,
    Idle,
    Gpus,
    Born,
    Verdict,
    Health,
    Tag(String),
}

impl fmt::Display for F {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(key) => write!(f, "tag:{key}"),
            other => f.write_str(NAMES.iter().find(|(_, n)| n == other).unwrap().0),
        }
    }
}

const NAMES: [(&str, F); 13] = [
    ("team", F::Team),
    ("state", F::State),
    ("gpu", F::Gpu),
    ("rate", F::Rate),
    ("$", F::Rate),
    ("wasted", F::Wasted),
    ("net", F::Net),
    ("mem", F::Mem),
    ("idle", F::Idle),
    ("gpus", F::Gpus),
    ("born", F::Born),
    ("verdict", F::Verdict),
    ("health", F::Health),
];

const HEALTH: [&str; 3] = ["held_idle", "unallocated_idle", "hung"];

impl FieldName for F {
    type Names = ();

    fn resolve(name: &str, (): &()) -> Option<Self> {
        if let Some(key) = name.strip_prefix("tag:").filter(|k| !k.is_empty()) {
            return Some(Self::Tag(key.to_owned()));
        }
        NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, f)| f.clone())
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Team | Self::Tag(_) => Kind::Text,
            Self::State => Kind::Choice(&["running", "shutting-down"]),
            Self::Gpu => Kind::Number(Unit::Percent),
            Self::Rate => Kind::Number(Unit::UsdPerHour),
            Self::Wasted => Kind::Number(Unit::Usd),
            Self::Net => Kind::Number(Unit::BytesPerDay),
            Self::Mem => Kind::Number(Unit::Bytes),
            Self::Idle => Kind::Number(Unit::Seconds),
            Self::Gpus => Kind::Number(Unit::Count),
            Self::Born => Kind::Time,
            Self::Verdict => Kind::Choice(&["idle", "busy"]),
            Self::Health => Kind::Choice(&HEALTH),
        }
    }

    fn choices((): &()) -> Vec<(Self, &'static [&'static str])> {
        vec![
            (Self::State, &["running", "shutting-down"]),
            (Self::Verdict, &["idle", "busy"]),
            (Self::Health, &HEALTH),
        ]
    }

    fn known((): &()) -> Vec<&'static str> {
        NAMES.iter().map(|(n, _)| *n).collect()
    }

    fn by_word(word: &str, (): &()) -> Option<Self> {
        ["health", "dollars"].contains(&word).then_some(Self::Wasted)
    }

    fn labels((): &()) -> Vec<[&'static str; 2]> {
        vec![["partly BUSY", "busy"], ["gone", "no_such_word"]]
    }
}

fn read(text: &str) -> Expr<Term<F>> {
    parse(text, &()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn error(text: &str) -> QueryError {
    parse::<F>(text, &()).expect_err(text)
}

fn compare(text: &str) -> Compare<F> {
    match read(text) {
        Expr::Leaf(Term::Compare(c)) => c,
        other => panic!("{text} is not a comparison: {other:?}"),
    }
}

#[test]
fn canonical_form_shows_the_structure() {
    let cases = [
        ("", ""),
        ("  ", ""),
        ("train", "train"),
        ("train old", "train and old"),
        ("a or b c", "a or b and c"),
        ("(a or b) c", "(a or b) and c"),
        ("((a))", "a"),
        ("a AND (b and c)", "a and b and c"),
        ("a or (b or c)", "a or b or c"),
        ("not a b", "not a and b"),
        ("not (a b)", "not (a and b)"),
        ("NOT not a", "not not a"),
        ("$ > $10/h", "rate>$10/h"),
        ("GPU<5 and $>10/h and team=nlp", "gpu<5 and rate>10/h and team=nlp"),
        ("team == nlp", "team=nlp"),
        ("team='a b'", "team=\"a b\""),
        ("team=\"a \\\"b\\\\\"", "team=\"a \\\"b\\\\\""),
        ("team=and", "team=and"),
        ("\"and\"", "\"and\""),
        ("team~x=y<z", "team~x=y<z"),
        ("\"tag:My Key\"=v", "\"tag:My Key\"=v"),
        ("tag:k8s.io/x:y!~z", "tag:k8s.io/x:y!~z"),
        ("state=SHUTTING_DOWN", "state=shutting-down"),
        ("o'brien p4d.24xlarge", "o'brien and p4d.24xlarge"),
    ];
    for (text, want) in cases {
        assert_eq!(read(text).to_string(), want, "{text}");
    }
}

#[test]
fn keywords_as_field_names_are_fields() {
    assert!(error("not=5").message.starts_with("no field `not`; fields: "));
    assert_eq!(read("a tag:or=1 b").to_string(), "a and tag:or=1 and b");
}

#[test]
fn errors_name_their_column() {
    let cases = [
        ("gpuu<5", 1, "no field `gpuu`; did you mean `gpu`?"),
        ("ent=5", 1, "no field `ent`; did you mean `net`?"),
        (
            "a and  zzz=5",
            8,
            "no field `zzz`; fields: team, state, gpu, rate, wasted, net, mem, idle …; a tag is \
             written `tag:Key`",
        ),
        ("gpu<", 5, "a value must follow `<`"),
        ("gpu<)", 5, "a value must follow `<`"),
        ("<5", 1, "a field name must stand before `<`"),
        ("a or", 5, "a word or a comparison like gpu<5 is missing here"),
        ("a and or b", 7, "a word or a comparison like gpu<5 is missing here"),
        ("()", 2, "a word or a comparison like gpu<5 is missing here"),
        ("(a", 1, "this `(` is never closed"),
        ("a)", 2, "this `)` closes nothing"),
        ("äö \"x", 4, "this quote has no end"),
        ("a !b", 3, "`!` stands for nothing here; write `not`"),
        ("gpu~5", 4, "`~` does not fit `gpu`: numbers take = != < <= > >="),
        ("team<x", 5, "`<` does not fit `team`: text takes = != ~ !~"),
        ("born~x", 5, "`~` does not fit `born`: times take = != < <= > >="),
        ("gpu<5d", 5, "`gpu` wants a percentage like 5 or 5%, not `5d`"),
        ("idle>3", 6, "`idle` wants a time span like 90m, 3d or 1w2d, not `3`"),
        ("state=runing", 7, "`state` has no `runing`; did you mean `running`?"),
        ("state=x", 7, "`state` wants one of running, shutting-down, not `x`"),
        (
            "state=idle",
            7,
            "try `verdict=idle`: `state` wants one of running, shutting-down, not `idle`",
        ),
        (
            "state=idel",
            7,
            "try `verdict=idle`: `state` wants one of running, shutting-down, not `idel`",
        ),
        ("verdict=rnn", 9, "`verdict` wants one of idle, busy, not `rnn`"),
        ("gpu<\u{1b}[2J", 5, "`gpu` wants a percentage like 5 or 5%, not `\u{FFFD}[2J`"),
    ];
    for (text, column, message) in cases {
        assert_eq!(error(text), QueryError { column, message: message.to_owned() }, "{text}");
    }
    assert_eq!(error("gpu<").to_string(), "column 5: a value must follow `<`");
}

#[test]
fn words_that_several_end_in_are_named_where_they_are_taken() {
    let words = ["held_idle", "unallocated-idle", "too_new", "busy"];
    assert_eq!(groups(&words), ["idle"]);
    assert_eq!(groups(&["idle", "held_idle", "unallocated_idle"]), [""; 0]);
    let message = |text: &str, strict| {
        if strict { parse_strict::<F>(text, &()).unwrap_err().message } else { error(text).message }
    };
    assert_eq!(read("health=idle").to_string(), "health=held_idle or health=unallocated_idle");
    assert_eq!(
        message("health=ilde", false),
        "`health` has no `ilde`; did you mean `idle`?",
        "of two that are as near the field's own"
    );
    assert_eq!(
        message("health=zzz", false),
        "`health` wants one of held_idle, unallocated_idle, hung, idle, not `zzz`"
    );
    assert_eq!(
        message("health=idle", true),
        "`health` has no `idle`; did you mean `held_idle` or `unallocated_idle`?"
    );
    assert_eq!(
        message("health=zzz", true),
        "`health` wants one of held_idle, unallocated_idle, hung, not `zzz`"
    );
}

#[test]
fn literals_are_converted_to_the_unit_of_their_field() {
    // Expected values by hand: a month is 730 h, kB decimal, KiB binary.
    let cases = [
        ("gpu=5", 5.0),
        ("gpu=5%", 5.0),
        ("rate=10", 10.0),
        ("rate=$10/h", 10.0),
        ("rate=$7300/mo", 10.0),
        ("rate=$7.3k/mo", 10.0),
        ("rate=$240/d", 10.0),
        ("wasted=$1,844.50", 1844.5),
        ("wasted=2M", 2_000_000.0),
        ("net=5MB", 5_000_000.0),
        ("net=5mb/d", 5_000_000.0),
        ("net=1KiB/day", 1024.0),
        ("mem=16GiB", 17_179_869_184.0),
        ("mem=512", 512.0),
        ("mem=1.5kB", 1500.0),
        ("mem=2TB", 2e12),
        ("idle=90m", 5400.0),
        ("idle=3d12h", 302_400.0),
        ("idle=1w2d", 777_600.0),
        ("idle=1.5h", 5400.0),
        ("idle=0", 0.0),
        ("gpus=8", 8.0),
        ("gpus=0.125", 0.125),
        ("gpus=10k", 10_000.0),
    ];
    for (text, want) in cases {
        let Literal::Number(n) = compare(text).value else { panic!("{text}") };
        assert!((n.value - want).abs() < 1e-9 * want.max(1.0), "{text}: {} ≠ {want}", n.value);
    }
    for text in [
        "gpu=-5",
        "gpu=nan",
        "gpu=inf",
        "gpu=",
        "gpu=1e400",
        "gpu=1.2.3",
        "wasted=1,23",
        "wasted=,1",
        "wasted=1234,567",
        "wasted=$5/h",
        "rate=$5/w",
        "mem=5QB",
        "idle=3d3d",
        "idle=h",
        "idle=1h1d",
        "gpus=1%",
        "gpus=0x8",
        "born=2026-02-30",
        "born=yesterday",
        "born=2026-1-1",
    ] {
        assert!(error(text).column > 4, "{text}");
    }
}

#[test]
fn a_unit_may_stand_behind_a_blank_and_be_a_word() {
    // By hand: a day 86,400 s, TB 10¹², TiB 2⁴⁰, a month 730 h.
    let cases = [
        ("mem>10 TB", "mem>10TB", 1e13),
        ("mem>10 terabytes", "mem>10terabytes", 1e13),
        ("mem>1 terabyte", "mem>1terabyte", 1e12),
        ("mem=2 TiB", "mem=2TiB", 2_199_023_255_552.0),
        ("mem=1 gibibyte", "mem=1gibibyte", 1_073_741_824.0),
        ("idle>3 days", "idle>3days", 259_200.0),
        ("idle>=3 d 12 h", "idle>=3d12h", 302_400.0),
        ("idle>=1 week 2 days", "idle>=1week2days", 777_600.0),
        ("idle<5 hours", "idle<5hours", 18_000.0),
        ("wasted>$ 5", "wasted>$5", 5.0),
        ("wasted>5 dollars", "wasted>5dollars", 5.0),
        ("rate>$ 5 per hour", "rate>$5perhour", 5.0),
        ("rate>240 usd per day", "rate>240usdperday", 10.0),
        ("gpu<5 percent", "gpu<5percent", 5.0),
        ("net>5 MB per day", "net>5MBperday", 5e6),
        ("gpus=8 k", "gpus=8k", 8000.0),
    ];
    for (text, canonical, want) in cases {
        assert_eq!(read(text).to_string(), canonical, "{text}");
        assert_eq!(read(canonical), read(text), "{text}");
        let Literal::Number(n) = compare(text).value else { panic!("{text}") };
        assert!((n.value - want).abs() < 1e-9 * want, "{text}: {} ≠ {want}", n.value);
    }
    // A field that follows is none, and neither is a word behind a number that has its unit.
    for (text, canonical) in [
        ("gpu<5 mem>1GB", "gpu<5 and mem>1GB"),
        ("rate>$10/h notebook", "rate>$10/h and notebook"),
        ("gpus>=8 train", "gpus>=8 and train"),
        ("gpus>=8 5", "gpus>=8 and 5"),
        ("mem>10 and terabyte", "mem>10 and terabyte"),
        ("idle>3d or mem>10 GB", "idle>3d or mem>10GB"),
    ] {
        assert_eq!(read(text).to_string(), canonical, "{text}");
    }
}

#[test]
fn a_word_behind_a_number_that_is_no_unit_of_it_is_told_with_those_that_are() {
    let cases = [
        (
            "mem>10 terabite",
            8,
            "`terabite` is no unit of `mem`: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB; to search for it \
             write `and terabite`",
        ),
        (
            "idle>3 fortnights",
            8,
            "`fortnights` is no unit of `idle`: s, m, h, d, w; to search for it write `and \
             fortnights`",
        ),
        ("gpu<5 GB", 7, "`GB` is no unit of `gpu`: %; to search for it write `and GB`"),
        (
            "a and rate>10 euros",
            15,
            "`euros` is no unit of `rate`: $, /h, /d, /mo; to search for it write `and euros`",
        ),
    ];
    for (text, column, message) in cases {
        assert_eq!(error(text), QueryError { column, message: message.to_owned() }, "{text}");
    }
}

#[test]
fn several_texts_are_written_with_commas() {
    for (text, canonical) in [
        ("team=a,b", "team=a or team=b"),
        ("team!=a,b", "team!=a and team!=b"),
        ("team~a,b x", "(team~a or team~b) and x"),
        ("team!~a,b", "team!~a and team!~b"),
        ("x or team=a,b", "x or team=a or team=b"),
        ("not team=a,b", "not (team=a or team=b)"),
        ("team=a,", "team=a"),
        ("tag:K=a,,b", "tag:K=a or tag:K=b"),
        ("state=running,shutting_down", "state=running or state=shutting-down"),
        ("health=idle,hung", "health=held_idle or health=unallocated_idle or health=hung"),
        // In quotes, and alone, it is a sign like any other.
        ("team=\"a,b\"", "team=\"a,b\""),
        ("team=,", "team=\",\""),
        ("wasted>$1,844", "wasted>$1,844"),
    ] {
        assert_eq!(read(text).to_string(), canonical, "{text}");
        assert_eq!(read(canonical), read(text), "{text}");
    }
    assert_eq!(error("state=running,gone").column, 7);
}

#[test]
fn a_label_stands_for_its_word_and_a_text_of_that_name_for_what_has_a_size() {
    assert_eq!(read("verdict=\"Partly busy\"").to_string(), "verdict=busy");
    assert_eq!(read("verdict=partly-busy").to_string(), "verdict=busy");
    assert!(error("verdict=gone").message.starts_with("`verdict` wants one of idle, busy"));
    assert_eq!(read("health>5").to_string(), "wasted>5");
    assert_eq!(read("health=hung").to_string(), "health=hung");
    assert_eq!(error("heath>5").message, "no field `heath`; did you mean `health`?");
    assert_eq!(error("gpuz>5").message, "no field `gpuz`; did you mean `gpu`?");
}

#[test]
fn order_is_exact_and_equality_is_as_typed() {
    let number = |text: &str, v: f64| compare(text).holds(Operand::Number(v));
    assert!(number("gpu<5", 4.999));
    assert!(!number("gpu<5", 5.0));
    assert!(number("gpu<=5", 5.0));
    assert!(number("gpu>5", 5.001));
    assert!(number("gpu>=5", 5.0));
    assert!(number("$=21.96", 21.957_642));
    assert!(!number("$!=21.96", 21.957_642));
    assert!(!number("$=21.958", 21.957_4));
    assert!(number("gpu=0", 0.4));
    assert!(!number("gpu=0", 0.6));
    assert!(!number("gpus=1", 0.75), "counts are exact");
    assert!(number("gpus=0.125", 0.125));
    assert!(number("idle=3d", 3.9 * 86_400.0), "as ages are cut");
    assert!(!number("idle=3d", 4.0 * 86_400.0));
    assert!(number("idle=3d12h", 84.5 * 3600.0));
}

#[test]
fn text_ignores_case_beyond_ascii_too() {
    let text = |filter: &str, v: &str| compare(filter).holds(Operand::Text(v));
    assert!(text("team=nlp", "NLP"));
    assert!(text("team=MÜLL", "müll"));
    assert!(text("team~LP", "nlp-x"));
    assert!(text("team~ÜL", "Müll"));
    assert!(!text("team~nlp", "nl"));
    assert!(text("team!~x", "nlp"));
    assert!(text("team!=x", "nlp"));
    assert!(text("team~\"\"", "anything"));
    assert!(text("state=shutting_down", "shutting-down"));
    assert!(text("state~down", "shutting-down"));
}

#[test]
fn unknown_satisfies_nothing_but_a_negation() {
    for filter in
        ["team=x", "team!=x", "team~x", "team!~x", "gpu<5", "gpu>=0", "gpu!=5", "born>2026-01-01"]
    {
        assert!(!compare(filter).holds(Operand::Unknown), "{filter}");
    }
    assert!(!compare("gpu<5").holds(Operand::Number(f64::NAN)));
    assert!(!compare("gpu!=5").holds(Operand::Number(f64::NAN)));
    let unknown = |t: &Term<F>| match t {
        Term::Compare(c) => c.holds(Operand::Unknown),
        _ => false,
    };
    assert!(read("not team=x").holds(&mut { unknown }));
    assert!(!read("not not team=x").holds(&mut { unknown }));
}

#[test]
fn several_texts_match_any_and_none() {
    let owners = ["asg", "train"];
    assert!(compare("team=asg").holds_any(owners));
    assert!(compare("team~rai").holds_any(owners));
    assert!(!compare("team!=asg").holds_any(owners));
    assert!(compare("team!=eks").holds_any(owners));
    assert!(!compare("team!=eks").holds_any::<&str>([]));
}

#[test]
fn times_are_days_or_moments() {
    let time = |filter: &str, t: &str| compare(filter).holds(Operand::Time(t.parse().unwrap()));
    assert!(time("born=2026-01-31", "2026-01-31T23:59:59Z"));
    assert!(!time("born=2026-01-31", "2026-02-01T00:00:00Z"));
    assert!(time("born!=2026-01-31", "2026-02-01T00:00:00Z"));
    assert!(time("born>2026-01-31", "2026-02-01T00:00:00Z"));
    assert!(!time("born>2026-01-31", "2026-01-31T12:00:00Z"));
    assert!(time("born>=2026-01-31", "2026-01-31T00:00:00Z"));
    assert!(time("born<2026-01-31", "2026-01-30T23:59:59Z"));
    assert!(time("born<=2026-01-31", "2026-01-31T12:00:00Z"));
    assert!(time("born<2026-01-31T06:00:00Z", "2026-01-31T05:59:59Z"));
    assert!(time("born=2026-01-31T06:00:00Z", "2026-01-31T06:00:00Z"));
}

#[test]
fn size_and_depth_are_bounded() {
    assert!(parse::<F>(&"a".repeat(MAX_BYTES), &()).is_ok());
    assert_eq!(error(&"a".repeat(MAX_BYTES + 1)).column, MAX_BYTES + 1);
    assert_eq!(error(&"ä".repeat(MAX_BYTES)).column, MAX_BYTES / 2 + 1);
    let nested = |n: usize| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    assert!(parse::<F>(&nested(MAX_NESTING), &()).is_ok());
    assert_eq!(error(&nested(MAX_NESTING + 1)).column, MAX_NESTING + 2);
    assert!(parse::<F>(&format!("{}a", "not ".repeat(MAX_NESTING)), &()).is_ok());
    assert!(parse::<F>(&format!("{}a", "not ".repeat(MAX_NESTING + 1)), &()).is_err());
}

/// Texts that are likely to be filters.
fn filterish() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("train".to_owned()),
        Just("and".to_owned()),
        Just("\"a b\"".to_owned()),
        "[a-z!'\\\\\"~=]{1,5}",
        "\\PC{1,4}",
    ];
    let op = prop::sample::select(vec!["=", "!=", "~", "!~", " = ", "=="]);
    let compare = (prop::sample::select(vec!["team", "tag:K", "\"tag:a b\""]), op, word.clone())
        .prop_map(|(f, op, v)| format!("{f}{op}{v}"));
    let typed = prop::sample::select(vec![
        "gpu<5",
        "$>$7300/mo",
        "idle>=3d12h",
        "net<=5MB/d",
        "gpus!=8",
        "born>2026-01-31",
        "state=running",
    ])
    .prop_map(str::to_owned);
    let leaf = prop_oneof![word, compare, typed];
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} or {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.prop_map(|a| format!("not {a}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,80}|[\\x00-\\x7f]{0,80}") {
        if let Err(e) = parse::<F>(&text, &()) {
            prop_assert!((1..=text.chars().count() + 1).contains(&e.column), "{e}");
        }
    }

    /// The canonical form means the same. (A filter at the limit of length may have a longer one.)
    #[test]
    fn canonical_form_reads_back_the_same(text in filterish()) {
        if let Ok(expr) = parse::<F>(&text, &()) {
            let canonical = expr.to_string();
            prop_assume!(canonical.len() <= MAX_BYTES);
            let again = parse::<F>(&canonical, &());
            prop_assert_eq!(again.as_ref(), Ok(&expr), "{} → {}", text, canonical);
            prop_assert_eq!(again.unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn numbers_read_as_they_are_written(whole in 0u64..10_000_000, cents in 0u64..100) {
        let text = format!("wasted=${whole}.{cents:02}");
        let Literal::Number(n) = compare(&text).value else { panic!() };
        prop_assert!((n.value - (whole as f64 + cents as f64 / 100.0)).abs() < 1e-6);
    }
}

mod strict {
    use super::*;

    fn refused(text: &str) -> QueryError {
        match parse_strict::<F>(text, &()) {
            Err(error) => error,
            Ok(expr) => panic!("{text} is taken as {expr}"),
        }
    }

    #[test]
    fn a_bare_word_is_refused_and_says_what_to_write() {
        assert_eq!(
            refused("gpu<5 and dev").to_string(),
            "column 11: `dev` alone is a search, which takes in more than it says; what is acted on \
             is chosen by comparisons: write `\"dev\"` for a text that is exactly this"
        );
        for (text, column) in [
            ("dev", 1),
            ("not dev", 5),
            ("team=nlp or dev", 13),
            ("team=nlp dev", 10),
            ("(team)", 2),
            ("team=nlp && gpu<5", 10),
            ("team=nlp || gpu<5", 10),
            ("team:nlp", 1),
            ("team≠nlp", 1),
            ("team＝nlp", 5),
        ] {
            assert_eq!(refused(text).column, column, "{text}");
            assert!(text.contains(['≠', '＝']) || parse::<F>(text, &()).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_word_that_stands_for_a_field_is_refused_and_the_field_named() {
        assert_eq!(read("dollars>5").to_string(), "wasted>5");
        assert_eq!(read("health>5").to_string(), "wasted>5");
        assert_eq!(
            refused("gpu<5 and dollars>5").to_string(),
            "column 11: `dollars` only stands for `wasted`; what is acted on is chosen by the \
             field's own name: write `wasted>…`"
        );
        // The name of a text, compared by size.
        assert!(refused("health>5").message.contains("write `wasted>…`"));
        assert!(parse_strict::<F>("health=hung and wasted>5 and $>1", &()).is_ok());
    }

    #[test]
    fn comparisons_and_whole_texts_are_taken() {
        for text in [
            "",
            "team=nlp",
            "team!=nlp and not (gpu>=5 or idle<3d)",
            "gpu<5 and $>$1,000/mo or net<=5MB/d",
            "\"dev\"",
            "'a b' or team~b",
            "team!=\"a,b*\"",
            "tag:k8s.io/x:y=arn:aws:iam::1:role/x",
            "born>2026-01-31 gpus=8 state!=running",
            "team=Müll or team=数据",
        ] {
            assert!(parse_strict::<F>(text, &()).is_ok(), "{text}: {}", refused(text));
        }
    }

    #[test]
    fn quoted_text_is_a_whole_text_and_never_below_a_not() {
        assert!(
            matches!(parse_strict::<F>("\"Dev\"", &()), Ok(Expr::Leaf(Term::Exact(t))) if t.equals("dEV"))
        );
        let Ok(Expr::Leaf(Term::Exact(text))) = parse_strict::<F>("\"dev\"", &()) else { panic!() };
        assert!(!text.equals("dev-2") && !text.equals(""));
        for text in ["not \"prod\"", "not (team=x or \"prod\")", "not not \"prod\""] {
            assert!(refused(text).message.contains("below `not`"), "{text}");
        }
        // A `not` that has ended does not reach further.
        assert!(parse_strict::<F>("not team=x and \"prod\"", &()).is_ok());
        assert!(refused("\"\"").message.contains("nothing in these quotes"));
        assert!(refused("\" \"").message.contains("nothing in these quotes"));
    }

    #[test]
    fn a_value_that_may_have_been_meant_as_more_than_one_stands_in_quotes() {
        for value in [
            "prod,research",
            "prod;x",
            "prod|dev",
            "prod*",
            "train-?",
            "^prod",
            "prod$",
            "[ab]",
            "{a}",
            "==prod",
            "a=b",
            "prod\"",
            "pro'd",
            "\u{201c}prod\u{201d}",
            "a&b",
            "a<b",
            "!prod",
            "a\\b",
        ] {
            for op in ["=", "!=", "~", "!~"] {
                let bare = refused(&format!("team{op}{value}"));
                assert!(bare.column >= 5, "{value}: {bare}");
            }
        }
        assert!(refused("team~\"\"").message.contains("every text holds"));
        assert!(refused("team!~' '").message.contains("every text holds"));
    }

    #[test]
    fn what_cannot_be_seen_or_only_looks_alike_is_refused() {
        for (text, column) in [
            ("team!=prod\u{200b}", 11),
            ("team!=\"prod\u{ad}\"", 12),
            ("team!=prod\u{a0}", 11),
            ("team!=\"pr\u{043e}d\"", 10),
            ("te\u{0430}m=x", 3),
            ("team!=\u{ff50}rod", 8),
            ("team\t=x", 5),
            ("team=x\u{fe0f}", 7),
        ] {
            assert_eq!(refused(text).column, column, "{text:?}: {}", refused(text));
        }
        assert!(parse_strict::<F>("team=данные or team=naïve or team~δ", &()).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        /// A strict filter is a filter: it means the same comparisons when it is looked with.
        #[test]
        fn what_is_taken_strictly_is_a_filter_too(text in filterish()) {
            if let Ok(strict) = parse_strict::<F>(&text, &()) {
                let loose = read(&text);
                let mut said = Vec::new();
                strict.map(&mut |t| said.push(match t {
                    Term::Fuzzy(_) | Term::Phrase(_) => panic!("{text}"),
                    Term::Exact(t) => Term::Phrase(t.as_written().to_owned()),
                    Term::Compare(c) => Term::Compare(c.clone()),
                }));
                let mut found = Vec::new();
                loose.map(&mut |t| found.push(t.clone()));
                prop_assert_eq!(said, found);
            }
        }
    }
}
