//! Acting, behind the screen: checks and runs as tasks of their own, which the screen and the
//! reading of the fleet never wait for.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

use crate::act::exec::Operator;
use crate::act::plan::{Confirmed, Outcome, OutcomeKind, Plan, Progress, Verified};
use crate::app::{Level, LogEntry, Msg, Notice};
use crate::bus;
use crate::cli::acting;
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::source::ledger::Ledger;

/// State that checks and runs share.
pub struct Acts {
    invocation: Invocation,
    ledger: Ledger,
    messages: mpsc::Sender<Msg>,
    bus: bus::Handle,
    /// The operator, once every account has said who we are in it.
    operator: Mutex<Option<Arc<Operator>>>,
}

impl Acts {
    /// Finds out what may be done where, and what runs that died left open.
    pub fn begin(
        invocation: Invocation,
        ledger: Ledger,
        messages: mpsc::Sender<Msg>,
        bus: bus::Handle,
    ) -> Arc<Self> {
        let acts = Self { invocation, ledger, messages, bus, operator: Mutex::default() };
        let acts = Arc::new(acts);
        if !acts.invocation.options.offline {
            let start = acts.clone();
            tokio::spawn(async move { start.start().await });
        }
        acts
    }

    /// Checks a plan; the answer comes as a message.
    pub fn preflight(self: &Arc<Self>, plan: Arc<Plan>) {
        let acts = self.clone();
        tokio::spawn(async move {
            let asked = plan.clone();
            let task = acts.clone();
            // A defect must not leave the sheet waiting.
            let checked = tokio::spawn(async move {
                let operator = task.operator().await?;
                Ok::<_, CliError>(operator.preflight(asked).await)
            });
            let why = match checked.await {
                Ok(Ok(checked)) => return acts.send(Msg::Preflighted(Arc::new(checked))).await,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "the checks ended in a defect of burntop; nothing was changed".to_owned(),
            };
            acts.send(Msg::NotPreflighted { plan, why }).await;
        });
    }

    /// Does what was confirmed. What happens comes as messages, the end as the last of them.
    pub fn execute(self: &Arc<Self>, confirmed: Arc<Confirmed>) {
        let acts = self.clone();
        tokio::spawn(async move {
            let (says, mut said) = mpsc::unbounded_channel::<Progress>();
            let task = acts.clone();
            let run = tokio::spawn(async move { task.run(&confirmed, says).await });
            // A screen that is busy must not hold the run up.
            while let Some(progress) = said.recv().await {
                acts.send(Msg::Acting(progress)).await;
            }
            let ended = run.await.unwrap_or_else(|_| {
                Err("the run ended in a defect of burntop; the audit log has its intents, and the \
                     next start looks at what became of them"
                    .to_owned())
            });
            acts.send(Msg::Acted(ended.map(Arc::new))).await;
            acts.bus.look_again();
        });
    }

    async fn run(
        &self,
        confirmed: &Confirmed,
        says: mpsc::UnboundedSender<Progress>,
    ) -> Result<Verified, String> {
        let operator = self.operator().await.map_err(|e| e.to_string())?;
        let say = move |progress| {
            // Nobody listens any more when the screen is gone.
            let _ = says.send(progress);
        };
        acting::check_journal(operator.journal(), &self.invocation).map_err(|e| e.to_string())?;
        operator.execute(confirmed, &say).await.map_err(|e| e.to_string())
    }

    async fn start(&self) {
        let operator = match self.operator().await {
            Ok(operator) => operator,
            Err(error) => return self.log(Level::Error, error.to_string()).await,
        };
        if let Some(why) = operator.rules().withheld() {
            let at = self.invocation.options.now();
            let fix = "`burntop doctor` says of each account what may be changed".to_owned();
            let message = format!("not armed: {why}");
            let (source, scope) = (None, None);
            self.send(Msg::Log(LogEntry { at, level: Level::Warn, source, scope, message, fix }))
                .await;
        }
        match operator.reconcile().await {
            Ok(outcomes) => self.reconciled(&outcomes).await,
            Err(error) => self.log(Level::Error, error.to_string()).await,
        }
    }

    /// The operator. Asks the accounts who we are, again as long as one of them did not answer:
    /// what it answers later must not stay unknown for the whole session.
    async fn operator(&self) -> Result<Arc<Operator>, CliError> {
        if self.invocation.options.offline {
            return Err(CliError::Usage("offline: nothing can be checked or changed".into()));
        }
        let mut known = self.operator.lock().await;
        if let Some(operator) = &*known {
            return Ok(operator.clone());
        }
        let opened = acting::open(&self.invocation, Some(self.ledger.clone()), false).await?;
        let operator = Arc::new(opened.operator);
        if opened.troubles.is_empty() {
            *known = Some(operator.clone());
        }
        self.send(Msg::Rules(Arc::new(operator.rules().clone()))).await;
        Ok(operator)
    }

    /// Tells the screen the outcomes of rows that dead runs had left open.
    async fn reconciled(&self, outcomes: &[Outcome]) {
        if outcomes.is_empty() {
            return;
        }
        for outcome in outcomes {
            let level = match outcome.kind {
                OutcomeKind::Unknown => Level::Warn,
                _ => Level::Info,
            };
            let (kind, id) = (outcome.kind.word(), &outcome.id);
            let text = format!("left open by a run that died: {id} {kind}: {}", outcome.text);
            self.log(level, text).await;
        }
        let text = format!(
            "{} left open by a run that died, looked at now: ! says what became of them",
            if let [_] = outcomes {
                "1 action".to_owned()
            } else {
                format!("{} actions", outcomes.len())
            }
        );
        self.send(Msg::Notice(Notice::new(Level::Warn, text))).await;
    }

    async fn log(&self, level: Level, message: String) {
        let at = self.invocation.options.now();
        let fix = match level {
            Level::Info => String::new(),
            _ => "`burntop audit verify` and `burntop audit reconcile` look again".to_owned(),
        };
        let entry = LogEntry { at, level, source: None, scope: None, message, fix };
        self.send(Msg::Log(entry)).await;
    }

    async fn send(&self, msg: Msg) {
        // The screen may be gone already; there is nobody left to tell.
        let _ = self.messages.send(msg).await;
    }
}
