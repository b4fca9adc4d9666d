//! Every action of the cockpit with its default keys: the one table from which key handling, the
//! footer, the help screen, the documentation and the config file's `[keys]` come.

/// Where a key has a meaning. Contexts overlap as [`Context::overlaps`] states; within overlapping contexts a
/// key has one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Anywhere, even while typing.
    Any,
    /// Anywhere except while typing.
    Move,
    /// On every page, while no chooser or question is open.
    Main,
    /// Where lines of text fill the body: the Overview, pages, a tab before it has rows. A key that the page has itself goes before.
    Lines,
    /// In a list.
    Table,
    /// On the GPUs tab.
    Gpus,
    /// On the Storage tab.
    Storage,
    /// On the overview, the savings lists and the list of idle instances.
    Savings,
    /// On the What-if tab.
    WhatIf,
    /// On the Network tab.
    Network,
    /// On the Teams tab.
    Teams,
    /// On the tabs that show bills.
    Bills,
    /// On the Bill tab.
    Bill,
    /// On the Jobs tab.
    Jobs,
    /// In the help.
    Help,
    /// On the action sheet.
    Sheet,
    /// In the column chooser.
    Columns,
    /// On the first screen without credentials.
    Welcome,
    /// While typing a filter, a command or a name.
    Text,
}

impl Context {
    /// All contexts, in the order of the help screen.
    pub const ALL: [Self; 19] = [
        Self::Move,
        Self::Main,
        Self::Lines,
        Self::Table,
        Self::Gpus,
        Self::Storage,
        Self::Savings,
        Self::Network,
        Self::Teams,
        Self::WhatIf,
        Self::Bill,
        Self::Bills,
        Self::Jobs,
        Self::Help,
        Self::Sheet,
        Self::Columns,
        Self::Welcome,
        Self::Text,
        Self::Any,
    ];

    /// Heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Any => "Anywhere, also while typing",
            Self::Move => "Moving",
            Self::Main => "On every page",
            Self::Lines => "On the Overview and pages of text",
            Self::Table => "In the table",
            Self::Gpus => "On the GPUs tab",
            Self::Storage => "On the Storage tab",
            Self::Savings => "On the overview and its lists",
            Self::WhatIf => "On the What-if tab",
            Self::Network => "On the Network tab",
            Self::Teams => "On the Teams tab",
            Self::Bill => "On the Bill tab",
            Self::Bills => "On the Network, Teams and Bill tabs",
            Self::Jobs => "On the Jobs tab",
            Self::Help => "In this help",
            Self::Sheet => "On the action sheet",
            Self::Columns => "Choosing columns",
            Self::Welcome => "Without credentials",
            Self::Text => "While typing",
        }
    }

    /// True when both may be in force at the same time.
    pub fn overlaps(self, other: Self) -> bool {
        use Context::{
            Any, Bill, Bills, Columns, Gpus, Help, Jobs, Lines, Main, Move, Network, Savings,
            Sheet, Storage, Table, Teams, Welcome, WhatIf,
        };
        self == other
            || matches!(
                (self.min(other), self.max(other)),
                (Any, _)
                    | (
                        Move,
                        Main | Lines
                            | Table
                            | Gpus
                            | Storage
                            | Savings
                            | WhatIf
                            | Network
                            | Teams
                            | Bills
                            | Bill
                            | Jobs
                            | Help
                            | Sheet
                            | Columns
                            | Welcome
                    )
                    | (
                        Main,
                        Lines
                            | Table
                            | Gpus
                            | Storage
                            | Savings
                            | WhatIf
                            | Network
                            | Teams
                            | Bills
                            | Bill
                            | Jobs
                            | Help
                            | Sheet
                            | Welcome
                    )
                    // Not with those that have a meaning of their own for one of its keys.
                    | (
                        Lines,
                        Gpus | Storage | Savings | Teams | Bills | Bill | Sheet | Welcome
                    )
                    | (Table, Gpus | Storage | Savings | Network | Teams | Bills | Bill | Jobs)
                    | (Network | Teams, Bills)
                    | (Bills, Bill)
            )
    }
}

macro_rules! actions {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $context:ident [$($key:literal)*] $short:literal;)+) => {
        /// An action that a key requests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Action {
            /// The table, in the order of the help screen.
            pub const ALL: &'static [ActionSpec] = &[
                $(ActionSpec {
                    action: Action::$variant,
                    name: $name,
                    context: Context::$context,
                    keys: &[$($key),*],
                    short: $short,
                    doc: concat!($($doc),+),
                },)+
            ];
        }
    };
}

/// One row of the table of actions.
#[derive(Clone, Copy, Debug)]
pub struct ActionSpec {
    /// Action that the row is of.
    pub action: Action,
    /// Name in the configuration.
    pub name: &'static str,
    /// Context in which its keys work.
    pub context: Context,
    /// Default keys; the first one is shown.
    pub keys: &'static [&'static str],
    /// Label in the footer, one or two words.
    pub short: &'static str,
    /// One sentence for the help.
    pub doc: &'static str,
}

actions! {
    /// Next line.
    Down "down" Move ["j" "down"] "down";
    /// Previous line.
    Up "up" Move ["k" "up"] "up";
    /// Columns to the left; on the page of a row, the previous one.
    Left "left" Move ["h" "left"] "left";
    /// Columns to the right; on the page of a row, the next one.
    Right "right" Move ["l" "right"] "right";
    /// First line.
    Top "top" Move ["g" "home"] "top";
    /// Last line.
    Bottom "bottom" Move ["G" "end"] "bottom";
    /// Half a page down; on the heat map, the next team.
    HalfDown "half-page-down" Move ["ctrl-d"] "half down";
    /// Half a page up; on the heat map, the previous team.
    HalfUp "half-page-up" Move ["ctrl-u"] "half up";
    /// A page down.
    PageDown "page-down" Move ["pgdn" "ctrl-f"] "page down";
    /// A page up.
    PageUp "page-up" Move ["pgup" "ctrl-b"] "page up";
    /// Go in: why this verdict, the finding, the choice; folds a group, zooms the heat map.
    Enter "enter" Move ["enter"] "open";
    /// Come back.
    Back "back" Move ["esc"] "back";
    /// Quit.
    Interrupt "interrupt" Move ["ctrl-c"] "quit";

    /// Tab 1, what the fleet burns and what of it is waste.
    TabOverview "overview" Main ["1"] "overview";
    /// Tab 2, every GPU, what it does and what it costs.
    TabGpus "gpus" Main ["2"] "GPUs";
    /// Tab 3, every instance with its verdict, worst first.
    TabIdle "idle" Main ["3"] "idle";
    /// Tab 4, buckets, prefixes, volumes, and what of them is waste.
    TabStorage "storage" Main ["4"] "storage";
    /// Tab 5, where bytes went, what that cost, and which of it need not be.
    TabNetwork "network" Main ["5"] "network";
    /// Tab 6, whose the dollars are, what they may be, what one prediction costs.
    TabTeams "teams" Main ["6"] "teams";
    /// Tab 7, what to buy, over many futures; `:whatif` says how to give a demand.
    TabWhatIf "what-if" Main ["7"] "what-if";
    /// Tab 8, what was really paid, for what and by whom.
    TabBill "bill" Main ["8"] "bill";
    /// Tab 9, what runs cost, and what failed ones took.
    TabJobs "jobs" Main ["9"] "jobs";
    /// Next tab.
    NextTab "next-tab" Main ["tab"] "next tab";
    /// Previous tab.
    PreviousTab "previous-tab" Main ["shift-tab"] "previous tab";
    /// What can be done on this page; `/` searches all of the help.
    Help "help" Main ["?" "f1"] "help";
    /// Type a command; tab completes.
    Command "command" Main [":"] "command";
    /// What failed, and what to do about it.
    Log "log" Main ["!"] "log";
    /// What burntop's own calls cost today.
    OwnCost "own-cost" Main ["$"] "own cost";
    /// What burntop did: what, when, by whom, with what result, and the way back.
    Actions "actions" Main ["H"] "done so far";
    /// Act on the marked instances, else on the one under the cursor: stop, mark, terminate, start.
    Act "act" Main ["a"] "act";
    /// Read again; says the price first where the calls are billed. On the action sheet: check again.
    Refresh "refresh" Main ["r"] "refresh";
    /// Freeze the picture; data keep arriving.
    Freeze "freeze" Main ["f"] "freeze";
    /// Choose the preset that verdicts follow.
    Preset "preset" Main ["p"] "preset";
    /// Export what is on screen to a file.
    Export "export" Main ["e"] "export";
    /// Copy the id of the row or page to the terminal's clipboard, of people the command of their total cost; after a run, the way back.
    CopyId "copy-id" Main ["y"] "copy id";
    /// Copy the row as JSON to the terminal's clipboard.
    CopyRow "copy-row" Main ["Y"] "copy row";
    /// Copy a message to whoever runs the idle instance or the job, with evidence and dollars, to the terminal's clipboard.
    CopyMessage "copy-message" Main ["@"] "message";
    /// Mouse on or off; off leaves selecting text to the terminal.
    Mouse "mouse" Main ["M"] "mouse";
    /// Quit.
    Quit "quit" Main ["q"] "quit";

    /// Find words in the lines on screen; nothing typed goes on with the words before.
    FindText "find-text" Lines ["/"] "find";
    /// The next line that has them.
    FindNext "find-next" Lines ["n"] "next found";
    /// The line before that has them.
    FindPrevious "find-previous" Lines ["N"] "found before";

    /// Filter, live while typing.
    Filter "filter" Table ["/"] "filter";
    /// Only rows with this value: of the column sorted by, else of the one that is chosen; esc takes it back.
    OnlyThis "only-this" Table ["."] "only this";
    /// No rows with this value.
    NotThis "not-this" Table ["x"] "not this";
    /// Sort by the column whose underlined letter follows; again reverses.
    Sort "sort" Table ["s"] "sort";
    /// Choose and order columns.
    Columns "columns" Table ["c"] "columns";
    /// Save filter, sort and columns under a name.
    SaveView "save-view" Table ["w"] "save view";
    /// Select the row, or no more, and go down one.
    Mark "mark" Table ["space"] "select";
    /// Start a range; again selects all up to here.
    MarkRange "mark-range" Table ["V"] "range";
    /// Select all rows that the filter leaves; where all of them are selected, none of them.
    MarkAll "mark-all" Table ["*"] "select all";
    /// Select no row any more, those that the filter hides included.
    Unmark "unmark" Table ["u"] "select none";

    /// Group by node, team, owner, job, model, state, or not at all; with a filter not by what all have in common.
    Group "group" Gpus ["o"] "group";
    /// Heat map, a cell per GPU; again for the table.
    Heat "heat" Gpus ["m"] "heat map";
    /// Fold all groups, or unfold them.
    FoldAll "fold-all" Gpus ["z"] "fold all";
    /// How the use of the GPUs is distributed.
    Distribution "distribution" Gpus ["D"] "distribution";
    /// Where GPU telemetry is missing, and what to do about it.
    Missing "missing" Gpus ["b"] "blind spots";

    /// Next list: buckets, explorer, findings, EBS, runs, copies.
    NextList "next-list" Storage ["o"] "next list";
    /// Previous list.
    PreviousList "previous-list" Storage ["O"] "previous list";
    /// Everything known of the bucket.
    Details "details" Storage ["d"] "details";
    /// What each storage class would cost, month by month: of the prefix, the bucket, or everything.
    Tiers "tiers" Storage ["t"] "tiers";
    /// More reads per month in the tier what-if.
    MoreReads "more-reads" Storage ["+"] "more reads";
    /// Fewer reads per month in the tier what-if.
    LessReads "less-reads" Storage ["-"] "fewer reads";
    /// Type the reads per month of the tier what-if.
    SetReads "set-reads" Storage ["="] "set reads";
    /// The lifecycle rules of the bucket: those that would save something, to be copied, those that are there, and what is wrong with them.
    LifecycleRules "lifecycle-rules" Storage ["L"] "rules";
    /// What was found of the bucket: what would save how much, why, and the rule that does it; esc comes back.
    BucketFindings "bucket-findings" Storage ["F"] "findings";
    /// The training runs with checkpoints in the bucket, where it has some; esc comes back.
    BucketRuns "bucket-runs" Storage ["R"] "runs";
    /// List the bucket's objects; says first what that costs. Stops a list that is being made.
    ListObjects "list-objects" Storage ["i"] "list objects";

    /// Next list of what could be saved: commitments, smaller sizes, Spot, idle resources, the guide; from the idle instances to what else idles.
    NextSavings "next-savings" Savings ["o"] "savings";
    /// Previous list of what could be saved.
    PreviousSavings "previous-savings" Savings ["O"] "previous list";

    /// More of the input under the cursor; held down, on and on.
    Raise "raise" WhatIf ["+"] "more";
    /// Less of it.
    Lower "lower" WhatIf ["-"] "less";
    /// Much more of it.
    RaiseMore "raise-more" WhatIf [">"] "much more";
    /// Much less of it.
    LowerMore "lower-more" WhatIf ["<"] "much less";
    /// Type its value: `30%`, `12`, `$1.74`, `3y`; `none` takes it away.
    SetValue "set-value" WhatIf ["="] "type";
    /// The inputs and charts of the next family; then Compute Savings Plans, then the time ahead.
    NextGroup "next-family" WhatIf ["]"] "next family";
    /// The previous family.
    PreviousGroup "previous-family" WhatIf ["["] "previous family";
    /// Plan for the family on screen alone: its recommendation, charts, comparison and memo; again for all families.
    OnlyFamily "only-family" WhatIf ["."] "only this";
    /// Go to a family or an input by a part of its name: `g5`, `growth`, `g5 growth`; `growth=30%` sets it.
    FindInput "find-input" WhatIf ["/"] "find";
    /// Next chart: curve, fan, cost, payback, tornado, lists, calendar, compare.
    NextChart "next-chart" WhatIf ["o"] "next chart";
    /// Previous chart.
    PreviousChart "previous-chart" WhatIf ["O"] "previous chart";
    /// The chart alone, without the inputs; again for both.
    ChartAlone "chart-alone" WhatIf ["z"] "chart alone";
    /// Buy as many units as are recommended: of the offer under the cursor, else of the first that pays.
    BuyBest "buy-best" WhatIf ["b"] "buy the best";
    /// The arithmetic of what is under the cursor.
    Explain "explain" WhatIf ["x"] "explain";
    /// What decides the plan beside its figures: notes on the demand, what is not known, what the memo warns of.
    PlanNotes "plan-notes" WhatIf ["i"] "notes";
    /// Scenario A; again, all scenarios side by side.
    SlotA "scenario-a" WhatIf ["A"] "scenario A";
    /// Scenario B; an empty one begins as a copy of the one on screen; again, all side by side.
    SlotB "scenario-b" WhatIf ["B"] "scenario B";
    /// Scenario C; an empty one begins as a copy of the one on screen; again, all side by side.
    SlotC "scenario-c" WhatIf ["C"] "scenario C";
    /// Empty the scenario on screen.
    EmptySlot "empty-scenario" WhatIf ["X"] "empty";
    /// Take the last change back.
    Undo "undo" WhatIf ["u"] "undo";
    /// Do it again.
    Redo "redo" WhatIf ["U"] "redo";
    /// Keep the scenario under a name.
    SaveScenario "save-scenario" WhatIf ["w"] "save";
    /// Open a saved scenario in place of the one on screen.
    LoadScenario "load-scenario" WhatIf ["L"] "open saved";
    /// Give the scenario another name.
    RenameScenario "rename-scenario" WhatIf ["R"] "rename";
    /// Write a note to the scenario.
    NoteScenario "note-scenario" WhatIf ["n"] "note";

    /// Fill the network calculator of What-if from the paths: each way with its gigabytes and price, each fix as a cut.
    NetworkWhatIf "network-what-if" Network ["n"] "calculator";

    /// Allocate dollars by the next dimension: team, project, environment, cost center, user; unit costs of jobs by team, project, user.
    TeamsBy "teams-by" Teams ["b"] "by the next";

    /// Choose by what the bill is broken down: one key, or two at once.
    BillKeys "bill-keys" Bill ["b"] "break down by";
    /// Out of the row that `enter` went into.
    BillOut "bill-out" Bill ["backspace"] "out";
    /// What changed against the month before, and why: price, usage, new, gone.
    BillChanges "bill-changes" Bill ["d"] "what changed";

    /// Next list: of Network paths, fixes, live paths; of Teams dollars, missing tags, budgets, unit costs, quotas, people; of the Bill its keys, anatomy, changes, anomalies, days beside live burn.
    NextBillList "next-bill-list" Bills ["o"] "next list";
    /// Previous list.
    PreviousBillList "previous-bill-list" Bills ["O"] "previous list";
    /// The month before.
    EarlierPeriod "earlier-period" Bills ["["] "month before";
    /// The month after.
    LaterPeriod "later-period" Bills ["]"] "month after";
    /// Where the bill comes from, its sums, and what is odd about it.
    BillSource "bill-source" Bills ["i"] "about the bill";

    /// Next list: attempts, sums, nodes, what was lost again and again, GPUs that do nothing for a job, waits.
    NextJobsList "next-jobs-list" Jobs ["o"] "next list";
    /// Previous list.
    PreviousJobsList "previous-jobs-list" Jobs ["O"] "previous list";
    /// Choose what sums are made by: state, cause, user, team, project, node, model, week.
    JobsKey "jobs-key" Jobs ["b"] "sums by";
    /// Fill the failed-runs calculator of What-if from these attempts.
    JobsWhatIf "jobs-what-if" Jobs ["n"] "calculator";
    /// Copy the command that stops the attempt to the terminal's clipboard; burntop runs none of them.
    CopyCommand "copy-command" Jobs ["C"] "copy command";

    /// Search all of the help: keys, names of actions, commands, fields, signs.
    SearchHelp "search-help" Help ["/"] "search";
    /// All keys with the names of their actions, all commands and fields; again for those of the page.
    AllHelp "all-help" Help ["A"] "all keys";

    /// Go on, to the last question before anything is done.
    GoOn "go-on" Sheet ["c"] "go on";
    /// Leave the row under the cursor out, or take it back in; what was checked already is planned and checked anew without it.
    LeaveOut "leave-out" Sheet ["space"] "leave out";

    /// Show or hide the column.
    ToggleColumn "toggle-column" Columns ["space"] "show/hide";
    /// Move the column to the left.
    ColumnUp "column-up" Columns ["K" "shift-up"] "move up";
    /// Move the column to the right.
    ColumnDown "column-down" Columns ["J" "shift-down"] "move down";
    /// Back to the default columns.
    ResetColumns "reset-columns" Columns ["r"] "defaults";

    /// Open the built-in demo fleet.
    Demo "demo" Welcome ["d"] "demo";

    /// Take what was typed.
    Accept "accept" Text ["enter"] "accept";
    /// Leave it as it was.
    Cancel "cancel" Text ["esc" "ctrl-c"] "cancel";
    /// Complete: a command, a field or a value of a filter; in a dialog, the next field or button.
    Complete "complete" Text ["tab"] "complete";
    /// Complete, the other way round.
    CompleteBack "complete-back" Text ["shift-tab"] "complete";
    /// Earlier entry.
    HistoryBack "history-back" Text ["up" "ctrl-p"] "earlier";
    /// Later entry.
    HistoryForward "history-forward" Text ["down" "ctrl-n"] "later";
    /// One character to the left.
    TextLeft "text-left" Text ["left" "ctrl-b"] "left";
    /// One character to the right.
    TextRight "text-right" Text ["right" "ctrl-f"] "right";
    /// Start of the line.
    TextStart "text-start" Text ["home" "ctrl-a"] "start";
    /// End of the line.
    TextEnd "text-end" Text ["end" "ctrl-e"] "end";
    /// Delete the character before the cursor.
    Backspace "backspace" Text ["backspace" "ctrl-h"] "delete";
    /// Delete the character under the cursor.
    Delete "delete" Text ["delete" "ctrl-d"] "delete";
    /// Delete the word before the cursor.
    KillWord "kill-word" Text ["ctrl-w" "alt-backspace"] "delete word";
    /// Delete everything before the cursor.
    KillStart "kill-start" Text ["ctrl-u"] "clear";
    /// Delete everything after the cursor.
    KillEnd "kill-end" Text ["ctrl-k"] "clear to end";

    /// Suspend; `fg` comes back.
    Suspend "suspend" Any ["ctrl-z"] "suspend";
    /// Draw everything anew.
    Redraw "redraw" Any ["ctrl-l"] "redraw";
}

impl Action {
    /// Row of the table for the action.
    pub fn spec(self) -> &'static ActionSpec {
        // The table holds every variant in the order of the enum (it is made by one macro).
        &Self::ALL[self as usize]
    }

    /// True for the actions that go from one list of a tab to another.
    pub fn turns_lists(self) -> bool {
        matches!(
            self,
            Self::NextList
                | Self::PreviousList
                | Self::NextSavings
                | Self::PreviousSavings
                | Self::NextBillList
                | Self::PreviousBillList
                | Self::BillChanges
                | Self::NextJobsList
                | Self::PreviousJobsList
        )
    }

    /// The action of this name in the configuration; `None` for another word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|s| s.name == name).map(|s| s.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_names_are_unique() {
        for (i, spec) in Action::ALL.iter().enumerate() {
            assert_eq!(spec.action as usize, i);
            assert_eq!(Action::from_name(spec.name), Some(spec.action));
            assert_eq!(Action::ALL.iter().filter(|s| s.name == spec.name).count(), 1);
            assert!(spec.doc.trim().ends_with('.'), "{}", spec.name);
        }
    }

    #[test]
    fn typing_shares_nothing_with_moving() {
        assert!(!Context::Text.overlaps(Context::Move));
        assert!(!Context::Text.overlaps(Context::Main));
        assert!(!Context::Table.overlaps(Context::Columns));
        assert!(Context::Any.overlaps(Context::Text));
        assert!(Context::Table.overlaps(Context::Main));
        assert!(Context::Columns.overlaps(Context::Move));
    }
}
