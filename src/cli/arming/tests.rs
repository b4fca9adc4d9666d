use super::*;
use crate::cli::invocation::RunOptions;
use crate::config::resolve::{Layer, Origin, resolve};
use crate::config::{FileConfig, Vocabulary};

mod hostile;

const A: &str = "111111111111";
const B: &str = "222222222222";

/// A run with this configuration, `--profile` for each of `profiles`, and `--allow-actions`.
fn invocation(source: &str, profiles: &[&str], allow: bool) -> Invocation {
    let profiles = profiles.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
    let flags = FileConfig {
        profiles: (!profiles.is_empty()).then_some(profiles),
        ..FileConfig::default()
    };
    let layer = |value, origin| Layer { value, origin, lines: BTreeMap::new() };
    let file = layer(toml::from_str(source).unwrap(), Origin::File("c.toml".into()));
    let layers = vec![layer(flags, Origin::Flags), file];
    Invocation::new(
        resolve(layers, &Vocabulary::default()).unwrap(),
        RunOptions { allow_actions: allow, ..RunOptions::default() },
    )
}

/// The rules where STS says of each entry what `sts` says; `None` is no answer.
fn asked(
    invocation: &Invocation,
    sts: impl Fn(&Target) -> Option<&'static str>,
) -> (Rules, Vec<Trouble>) {
    let targets = invocation.config.targets.iter();
    let reached: Vec<_> = targets.filter_map(|t| Some((sts(t)?.into(), Some(t)))).collect();
    let pins: Vec<_> = to_ask(invocation).filter_map(|t| Some((sts(t)?.into(), t))).collect();
    rules(invocation, &reached, &pins)
}

/// The rules of account A where every entry leads there.
fn first(source: &str, allow: bool) -> AccountRules {
    asked(&invocation(source, &[], allow), |_| Some(A)).0.account(A)
}

#[test]
fn nothing_is_armed_unless_it_is_said() {
    let may = |source, allow| first(source, allow).may_act();
    assert!(!may("", false));
    assert!(may("", true), "--allow-actions");
    assert!(may("[[accounts]]\nname = 'a'\nallow_actions = true", false));
    assert!(!may("[[accounts]]\nname = 'a'\nread_only = true", true), "a pin wins");
    assert!(!may("[actions]\nread_only_accounts = ['111111111111']", true), "so does an id");
}

#[test]
fn of_two_ways_into_one_account_the_careful_one_holds() {
    let two = |second: &str| {
        first(
            &format!(
                "[[accounts]]\nname = 'a'\nallow_actions = true\n[[accounts]]\nname = 'b'\n{second}"
            ),
            false,
        )
    };
    assert!(two("allow_actions = true").may_act());
    assert!(!two("").may_act());
    assert!(!two("read_only = true").may_act());
    assert!(two("allow_actions = true\nproduction = true").production);
}

#[test]
fn a_pin_holds_though_its_own_entry_does_not_answer() {
    for named in ["role_arn = 'arn:aws:iam::111111111111:role/x'", "account_id = '111111111111'"] {
        let source = format!(
            "[[accounts]]\nname = 'a'\nallow_actions = true\n[[accounts]]\nname = 'b'\n\
             profile = 'b'\n{named}\nread_only = true"
        );
        let run = invocation(&source, &[], false);
        let rules = asked(&run, |t| (&*t.label == "a").then_some(A)).0;
        let account = rules.account(A);
        assert!(!account.may_act() && account.read_only, "{account:?}");
    }
}

#[test]
fn an_account_that_nobody_reached_can_be_pinned_and_is_never_armed() {
    let run = invocation(
        "[actions]\nread_only_accounts = ['222222222222']\n\
         production_accounts = ['333333333333']\nmax_instances = 3\nmax_usd_per_hour = 7.5\n\
         production_tags = ['tier=gold']",
        &[],
        true,
    );
    let rules = asked(&run, |_| None).0;
    assert!(rules.account(B).read_only);
    assert!(rules.account("333333333333").production);
    assert!(rules.accounts.values().all(|a| !a.may_act()));
    assert_eq!((rules.caps.max_instances, rules.caps.max_usd_per_hour), (3, Some(7.5)));
    assert_eq!(rules.production_tags, [("tier".to_owned(), "gold".to_owned())]);
}

const PROD: &str = "[[accounts]]\nname = 'prod'\nprofile = 'ops'\n";

#[test]
fn a_pin_by_profile_holds_when_another_entry_reaches_the_account() {
    // `--profile ops` takes the profile, not the entry, and nobody else has to be asked.
    let run = invocation(&format!("{PROD}read_only = true"), &["ops"], true);
    assert_eq!(to_ask(&run).count(), 0);
    let account = asked(&run, |_| Some(A)).0.account(A);
    assert!(account.read_only && !account.may_act(), "{account:?}");
    let run = invocation(&format!("{PROD}production = true"), &["ops"], true);
    let account = asked(&run, |_| Some(A)).0.account(A);
    assert!(account.production && account.may_act(), "{account:?}");
}

#[test]
fn a_pin_holds_for_the_account_that_its_own_credentials_lead_to() {
    let run = invocation(&format!("{PROD}read_only = true"), &["admin"], true);
    assert_eq!(to_ask(&run).map(|t| t.label.as_str()).collect::<Vec<_>>(), ["prod"]);
    assert!(!asked(&run, |_| Some(A)).0.account(A).may_act());
    let apart = |t: &Target| Some(if &*t.label == "prod" { B } else { A });
    assert!(asked(&run, apart).0.account(A).may_act(), "it is another account");
}

#[test]
fn while_a_pinned_entry_does_not_say_its_account_nothing_is_armed() {
    for pin in ["read_only = true", "production = true"] {
        for profiles in [&[][..], &["admin"]] {
            let source = format!("{PROD}{pin}\n[[accounts]]\nname = 'dev'\nallow_actions = true");
            let run = invocation(&source, profiles, true);
            let rules = asked(&run, |t| (&*t.label != "prod").then_some(A)).0;
            let account = rules.account(A);
            assert!(account.armed && !account.may_act(), "{pin}: {account:?}");
            let why = account.why_not().unwrap();
            assert_eq!(
                why,
                "pinned entry `prod` (profile ops) did not say which account it is: nothing is \
                 armed that might be it; mend its credentials, or give `account_id` or `role_arn`"
            );
            assert_eq!(rules.withheld(), Some(&*why));
        }
    }
}

#[test]
fn what_is_named_by_id_is_another_account_than_those_with_other_ids() {
    for partition in ["aws", "aws-cn", "aws-us-gov"] {
        let source =
            format!("{PROD}role_arn = 'arn:{partition}:iam::{B}:role/x'\nread_only = true");
        let run = invocation(&source, &["ops"], true);
        assert_eq!(to_ask(&run).count(), 0);
        let rules = asked(&run, |t| (&*t.label == "ops").then_some(A)).0;
        assert!(rules.account(A).may_act());
        assert!(rules.account(B).read_only, "{partition}");
    }
    let run = invocation(&format!("{PROD}account_id = '{B}'\nread_only = true"), &["admin"], true);
    let rules = asked(&run, |t| (&*t.label == "admin").then_some(A)).0;
    assert!(rules.account(A).may_act() && !rules.account(B).may_act());
}

#[test]
fn an_id_that_sts_contradicts_arms_neither_account() {
    let named = format!("{PROD}account_id = '{B}'\n");
    for (source, profiles) in [
        (format!("{named}allow_actions = true"), &[][..]),
        (format!("{named}read_only = true"), &["ops"]),
        (format!("{named}production = true"), &["admin"]),
    ] {
        let (rules, troubles) = asked(&invocation(&source, profiles, true), |_| Some(A));
        assert!(!rules.account(A).may_act() && !rules.account(B).may_act(), "{source}");
        assert!(rules.account(A).why_not().is_some());
        assert_eq!(troubles.len(), 1);
        assert!(troubles[0].message.contains("account_id"), "{troubles:?}");
    }
}

#[test]
fn an_entry_that_is_not_read_still_disarms_its_account() {
    let source = format!(
        "[[accounts]]\nname = 'lab'\nprofile = 'lab'\nallow_actions = true\n\
         [[accounts]]\nname = 'look'\nrole_arn = 'arn:aws:iam::{A}:role/look'"
    );
    let lab = |_: &Target| Some(A);
    assert!(!asked(&invocation(&source, &["lab"], false), lab).0.account(A).may_act());
    assert!(asked(&invocation(&source, &["lab"], true), lab).0.account(A).may_act(), "the flag");
}

#[test]
fn the_demo_asks_nobody_about_pins() {
    let mut run = invocation(&format!("{PROD}read_only = true"), &["x"], true);
    run.options.demo = Some(crate::cli::DemoOptions::default());
    assert_eq!(to_ask(&run).count(), 0);
    let (rules, troubles) = rules(&run, &[(A.into(), None)], &[]);
    assert!(rules.account(A).may_act() && troubles.is_empty());
}
