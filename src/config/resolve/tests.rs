use super::super::Secret;
use super::super::file::RegionsText;
use super::super::parse;
use super::super::vocabulary::ListWords;
use super::*;
use std::path::Path;

fn words() -> Vocabulary {
    Vocabulary {
        presets: vec!["cautious".into(), "mean-cpu".into()],
        themes: vec!["dark".into(), "light".into()],
        lists: vec![ListWords {
            name: "idle".into(),
            fields: vec!["name".into(), "waste".into()],
            groups: Vec::new(),
            filter: |_, f| if f.contains("((") { Err("column 1: ((".into()) } else { Ok(()) },
        }],
        keys: Some(|keys| {
            let unknown = keys.keys().filter(|action| *action != "quit");
            unknown.map(|action| (action.clone(), format!("no action `{action}`"))).collect()
        }),
        custom_preset: Some(|name, t| {
            if t.contains_key("base") {
                Ok(())
            } else {
                Err(format!("preset `{name}`: `base` is missing"))
            }
        }),
        ..Vocabulary::default()
    }
}

fn layer(source: &str) -> Layer {
    let parsed = parse::config(source, Path::new("c.toml")).unwrap();
    Layer { value: parsed.value, origin: Origin::File("c.toml".into()), lines: parsed.lines }
}

fn flags(value: FileConfig) -> Layer {
    Layer { value, origin: Origin::Flags, lines: BTreeMap::new() }
}

fn resolved(layers: Vec<Layer>) -> Config {
    resolve(layers, &words()).unwrap()
}

#[test]
fn wrong_values_name_line_key_and_what_is_accepted() {
    let cases = [
        (
            "regions = ['us-east-1', 'all']",
            "c.toml:1: \"all\" is no region code; accepted: codes like `us-east-1`, or `all` alone",
        ),
        (
            "regions = ['evil.example/a-b-c']",
            "c.toml:1: \"evil.example/a-b-c\" is no region code; accepted: codes like \
             `us-east-1`, or `all` alone",
        ),
        ("profiles = ['']", "c.toml:1: a profile name is empty"),
        ("profiles = [\"a\\u001b\"]", "c.toml:1: a profile name contains control characters"),
        (
            "[[accounts]]\nname = 'a'\n[[accounts]]\nname = 'a'",
            "c.toml:4: two accounts are named \"a\"",
        ),
        (
            "[[accounts]]\nname = 'a'\nrole_arn = 'role/x'",
            "c.toml:3: `accounts[0].role_arn` is no role; accepted: `arn:aws:iam::<12 digits>:role/<name>`",
        ),
        (
            "[[accounts]]\nname = 'a'\nexternal_id = 'x'",
            "c.toml:3: `external_id` means nothing without `role_arn`",
        ),
        (
            "[ui]\ntheme = 'lihgt'",
            "c.toml:2: `ui.theme` is \"lihgt\"; accepted: one of `dark`, `light`; did you mean \
             `light`?",
        ),
        (
            "[idle.presets.cautious]\nbase = 'x'",
            "c.toml:1: `cautious` is a built-in preset; give yours another name",
        ),
        ("[idle.presets.mine]", "c.toml:1: preset `mine`: `base` is missing"),
        ("[views.hot]\nfilter = '(('", "c.toml:2: view `hot`: column 1: (("),
        (
            "[views.hot]\nsort = '-wastd'",
            "c.toml:2: view `hot`: unknown field `wastd`; did you mean `waste`?",
        ),
        ("[views.hot]\ncolumns = ['name', 'zzz']", "c.toml:2: view `hot`: unknown field `zzz`"),
    ];
    for (source, expected) in cases {
        let error = resolve(vec![layer(source)], &words()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{source}");
    }
}

#[test]
fn every_partition_and_role_path_passes() {
    for arn in [
        "arn:aws:iam::123456789012:role/burntop-read",
        "arn:aws-us-gov:iam::123456789012:role/team/burntop",
        "arn:aws-cn:iam::123456789012:role/x",
    ] {
        let source = format!("[[accounts]]\nname = 'a'\nrole_arn = '{arn}'\nexternal_id = 'e'");
        let config = resolved(vec![layer(&source)]);
        assert_eq!(config.targets[0].role_arn.as_deref(), Some(arn));
        assert_eq!(config.targets[0].external_id, Some(Secret::new("e")));
    }
}

#[test]
fn a_preset_of_ones_own_can_be_chosen_by_flag() {
    let mut chosen = FileConfig::default();
    chosen.idle.preset = Some("mine".into());
    let file = layer("[idle.presets.mine]\nbase = 'cautious'");
    let config = resolved(vec![flags(chosen), file]);
    assert_eq!(config.preset, "mine");
    assert_eq!(config.custom_presets["mine"]["base"].as_str(), Some("cautious"));
}

#[test]
fn what_is_wrong_with_the_keys_is_an_error_where_it_stands() {
    let error = resolve(vec![layer("[keys]\n\nquti = []\nquit = ['ctrl-c']")], &words());
    assert_eq!(error.unwrap_err().to_string(), "c.toml:3: no action `quti`");
}

/// As [`words`], in a world of two profiles and three regions.
fn places() -> Vocabulary {
    Vocabulary {
        profiles: Some(|| Some(vec!["dev".into(), "ops".into()])),
        regions: ["us-east-1", "eu-west-1", "eu-west-2"].map(Into::into).into(),
        ..words()
    }
}

#[test]
fn an_unknown_profile_or_region_names_those_there_are() {
    let of = |layers| match resolve(layers, &places()) {
        Ok(config) => format!("{:?}", labels(&config)),
        Err(error) => error.to_string(),
    };
    assert_eq!(of(vec![layer("profiles = ['dev', 'ops']")]), "[\"dev\", \"ops\"]");
    assert_eq!(
        of(vec![layer("\nprofiles = ['dev', 'osp']")]),
        "c.toml:2: there is no profile \"osp\"; did you mean `ops`? Those there are: dev, ops"
    );
    let chosen = |name: &str| {
        flags(FileConfig { profiles: Some(vec![name.into()]), ..FileConfig::default() })
    };
    let entries = "[[accounts]]\nname = 'prod'\nprofile = 'gone'\nread_only = true\n";
    assert_eq!(
        of(vec![chosen("xyzzy"), layer(entries)]),
        "--profile: there is no profile \"xyzzy\". Those there are: dev, ops, prod"
    );
    assert_eq!(
        of(vec![chosen("prod"), layer(entries)]),
        "c.toml:3: there is no profile \"gone\". Those there are: dev, ops"
    );
    // An entry that is not read may be another machine's: its pin is open, and nothing is armed.
    assert_eq!(of(vec![chosen("dev"), layer(entries)]), "[\"dev\"]");
    assert_eq!(
        of(vec![layer("regions = ['us-east-1', 'eu-west-9']")]),
        "c.toml:1: there is no region \"eu-west-9\"; did you mean `eu-west-1`? Those there are: \
         us-east-1, eu-west-1, eu-west-2"
    );
    assert!(
        of(vec![layer("[[accounts]]\nname = 'a'\nregions = ['eu-west-9']")]).contains("c.toml:3")
    );
    assert!(
        of(vec![layer("[storage]\nregions = ['eu-wset-1']")]).contains("c.toml:2: there is no")
    );
    assert_eq!(of(vec![layer("regions = 'all'")]), "[\"default\"]");
}

#[test]
fn entries_that_are_not_read_are_kept() {
    let chosen = FileConfig { profiles: Some(vec!["ops".into()]), ..FileConfig::default() };
    let config = resolved(vec![flags(chosen), layer(ACCOUNTS)]);
    assert_eq!(labels(&config), ["ops"]);
    let unread: Vec<_> = config.unread.iter().map(|t| (&*t.label, t.production)).collect();
    assert_eq!(unread, [("prod", true), ("lab", false)]);
    assert!(resolved(vec![layer(ACCOUNTS)]).unread.is_empty());
}

#[test]
fn an_account_id_is_twelve_digits_and_the_roles_own() {
    let of = |entry: &str| {
        let source = format!("[[accounts]]\nname = 'a'\n{entry}");
        resolve(vec![layer(&source)], &words()).map(|c| c.targets[0].clone())
    };
    let role = "role_arn = 'arn:aws-cn:iam::123456789012:role/x'";
    let target = of(&format!("account_id = '123456789012'\n{role}")).unwrap();
    assert_eq!(target.named_accounts().collect::<Vec<_>>(), ["123456789012", "123456789012"]);
    for (entry, says) in [
        ("account_id = '12345678901'".to_owned(), "c.toml:3: \"12345678901\" is no account id"),
        ("account_id = '１23456789012'".to_owned(), "is no account id"),
        (format!("account_id = '210987654321'\n{role}"), "`role_arn` leads to 123456789012"),
    ] {
        let error = of(&entry).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

const ACCOUNTS: &str = "profiles = ['dev', 'prod']\nregions = ['eu-west-1']\n\
    [[accounts]]\nname = 'prod'\nrole_arn = 'arn:aws:iam::123456789012:role/r'\n\
    regions = 'all'\nproduction = true\n[[accounts]]\nname = 'lab'\n";

fn labels(config: &Config) -> Vec<&str> {
    config.targets.iter().map(|t| t.label.as_str()).collect()
}

#[test]
fn profiles_and_accounts_of_the_file_are_read_side_by_side() {
    let config = resolved(vec![layer(ACCOUNTS)]);
    assert_eq!(labels(&config), ["dev", "prod", "lab"]);
    let [dev, prod, lab] = config.targets.as_slice() else { panic!() };
    assert_eq!(dev.profile.as_deref(), Some("dev"));
    assert_eq!(dev.regions, Regions::named(["eu-west-1"]));
    assert!(prod.production && prod.role_arn.is_some() && prod.profile.is_none());
    assert_eq!(prod.regions, Regions::Enabled);
    assert_eq!((lab.profile.as_deref(), &lab.regions), (None, &dev.regions));
}

#[test]
fn profiles_on_the_command_line_stand_alone_and_find_accounts_by_name() {
    let chosen =
        FileConfig { profiles: Some(vec!["prod".into(), "other".into()]), ..FileConfig::default() };
    let config = resolved(vec![flags(chosen), layer(ACCOUNTS)]);
    assert_eq!(labels(&config), ["prod", "other"]);
    assert!(config.targets[0].role_arn.is_some(), "the account's rules hold");
    assert_eq!(config.targets[1].profile.as_deref(), Some("other"));
}

#[test]
fn regions_on_the_command_line_hold_for_every_account() {
    let regions = Some(RegionsText::List(vec!["us-east-1".into(), "us-east-1".into()]));
    let chosen = FileConfig { regions, ..FileConfig::default() };
    let config = resolved(vec![flags(chosen), layer(ACCOUNTS)]);
    for target in &config.targets {
        assert_eq!(target.regions, Regions::named(["us-east-1"]));
    }
}
