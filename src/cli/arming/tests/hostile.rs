//! Every way of pinning an account, reached every other way.

use super::*;

/// How the pinned entry says which account it means.
const NAMED: [&str; 8] = [
    "",
    "profile = 'ops'",
    "profile = 'own'",
    "account_id = '111111111111'",
    "profile = 'ops'\naccount_id = '111111111111'",
    "profile = 'own'\nrole_arn = 'arn:aws:iam::111111111111:role/x'",
    "profile = 'ops'\nrole_arn = 'arn:aws-cn:iam::111111111111:role/a/b'",
    "role_arn = 'arn:aws-us-gov:iam::111111111111:role/x'\nexternal_id = 'e'",
];
const PINS: [&str; 3] =
    ["read_only = true", "production = true", "read_only = true\nproduction = true"];
/// Entries beside it.
const BESIDE: [&str; 5] = [
    "",
    "[[accounts]]\nname = 'dev'\nprofile = 'dev'\nallow_actions = true\n",
    "[[accounts]]\nname = 'ops'\nprofile = 'ops'\nallow_actions = true\n",
    "[[accounts]]\nname = 'here'\nallow_actions = true\n",
    "[[accounts]]\nname = 'role'\nprofile = 'dev'\nallow_actions = true\n\
     role_arn = 'arn:aws:iam::111111111111:role/admin'\n",
];
const CHOSEN: [&[&str]; 8] =
    [&[], &["ops"], &["dev"], &["other"], &["prod"], &["here"], &["role"], &["ops", "other"]];

/// What the pinned account is to whoever reaches it: every credential leads to A, and those of the
/// pinned entry answer or do not.
#[test]
fn a_pinned_account_is_changed_by_no_way_there_is() {
    let mut inputs = 0_u32;
    let mut armed = 0_u32;
    for named in NAMED {
        for pin in PINS {
            for beside in BESIDE {
                for chosen in CHOSEN {
                    for (allow, own_answers, pinned_first) in [
                        (true, true, true),
                        (true, false, true),
                        (false, true, false),
                        (false, false, false),
                        (true, false, false),
                    ] {
                        inputs += 1;
                        let prod = format!("[[accounts]]\nname = 'prod'\n{named}\n{pin}\n");
                        let source = match pinned_first {
                            true => format!("{prod}{beside}"),
                            false => format!("{beside}{prod}"),
                        };
                        let run = invocation(&source, chosen, allow);
                        let sts = |t: &Target| (own_answers || &*t.label != "prod").then_some(A);
                        let account = asked(&run, sts).0.account(A);
                        armed += u32::from(account.may_act());
                        let case = format!("{source}--profile {chosen:?}, {allow}, {own_answers}");
                        if pin.contains("read_only") {
                            assert!(!account.may_act(), "{case}");
                        } else {
                            assert!(!account.may_act() || account.production, "{case}");
                        }
                        if account.armed && !account.may_act() {
                            assert!(account.why_not().is_some(), "{case}");
                        }
                    }
                }
            }
        }
    }
    assert!(armed > 100, "production alone does not disarm: {armed}");
    println!("hostile: arming of pinned accounts: {inputs} inputs");
    assert!(inputs >= 4_800);
}

/// The other half: an account that is known to be another one stays armed.
#[test]
fn an_account_that_is_known_to_be_another_one_is_armed() {
    let mut inputs = 0_u32;
    for named in NAMED {
        let named = named.replace(A, B);
        for pin in PINS {
            for chosen in [&["dev"][..], &["other"], &["dev", "other"]] {
                inputs += 1;
                let source = format!(
                    "[[accounts]]\nname = 'prod'\n{named}\n{pin}\n\
                     [[accounts]]\nname = 'dev'\nprofile = 'dev'\nallow_actions = true\n"
                );
                let run = invocation(&source, chosen, true);
                let sts = |t: &Target| Some(if &*t.label == "prod" { B } else { A });
                assert!(asked(&run, sts).0.account(A).may_act(), "{source}{chosen:?}");
            }
        }
    }
    println!("hostile: arming beside pinned accounts: {inputs} inputs");
    assert!(inputs >= 72);
}
