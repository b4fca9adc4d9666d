//! Who holds instances, by what sources of jobs told last.

use std::sync::Arc;

use jiff::Timestamp;

use super::join::Fleet;
use crate::domain::Instance;
use crate::domain::gpu::dns_names;
use crate::domain::hash::FastMap;

/// Who holds an instance: the jobs that run on it. Shared, for most instances have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBy {
    /// Ids of the jobs, as their source shows them; each once, in their order.
    pub jobs: Vec<Arc<str>>,
    /// Users of these jobs, each once, in their order; empty where none is known.
    pub users: Vec<Arc<str>>,
    /// True where a scheduler counts more as held than the jobs that it names.
    pub has_unnamed: bool,
    /// When it was read, the oldest reading of several.
    pub read_at: Timestamp,
}

impl HeldBy {
    /// Number of jobs, those without a name as one.
    pub fn count(&self) -> usize {
        self.jobs.len() + usize::from(self.has_unnamed)
    }

    /// Who holds it, in words: `job 82187 of vision-4 has it by its scheduler`.
    pub fn words(&self) -> String {
        let of = match &self.users[..] {
            [] => String::new(),
            [user] => format!(" of {user}"),
            users => format!(" of {} users", users.len()),
        };
        match (&self.jobs[..], self.count()) {
            ([job], 1) => format!("job {job}{of} has it by its scheduler"),
            ([], 1) => format!("a job{of} has it by its scheduler"),
            (_, count) => format!("{count} jobs{of} have it by their scheduler"),
        }
    }

    /// Takes in who else holds it, by another source.
    fn add(&mut self, other: &Self) {
        for (own, more) in [(&mut self.jobs, &other.jobs), (&mut self.users, &other.users)] {
            own.extend(more.iter().cloned());
            own.sort();
            own.dedup();
        }
        self.has_unnamed |= other.has_unnamed;
        self.read_at = self.read_at.min(other.read_at);
    }
}

/// By what a node of a scheduler is found among the instances.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldNode {
    /// Id of its instance; `None` = unknown, and its names tell.
    pub instance_id: Option<Arc<str>>,
    /// Its name and its private address.
    pub names: Vec<Arc<str>>,
    /// When it was seen last: an instance that was launched later is another one.
    pub seen_until: Timestamp,
    /// Who holds it.
    pub by: Arc<HeldBy>,
}

/// Who holds instances, to be looked up.
#[derive(Clone, Debug, Default)]
pub struct HeldInstances {
    nodes: Vec<HeldNode>,
    by_id: FastMap<Arc<str>, usize>,
    /// `None` for a name that several nodes have.
    by_name: FastMap<Arc<str>, Option<usize>>,
}

impl PartialEq for HeldInstances {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl HeldInstances {
    /// Of nodes, whose names may be those of several instances. Two nodes may be one instance, by two sources: both hold it.
    pub fn of(mut nodes: Vec<HeldNode>) -> Self {
        let mut held = Self::default();
        let mut again: Vec<(usize, Arc<HeldBy>)> = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            if let Some(id) = &node.instance_id {
                match held.by_id.get(id).copied() {
                    Some(first) => again.push((first, node.by.clone())),
                    None => {
                        held.by_id.insert(id.clone(), place);
                    }
                }
                continue;
            }
            for name in &node.names {
                let twice = |old: &mut Option<usize>| *old = old.filter(|old| *old == place);
                held.by_name.entry(name.clone()).and_modify(twice).or_insert(Some(place));
            }
        }
        for (first, by) in again {
            if let Some(node) = nodes.get_mut(first) {
                Arc::make_mut(&mut node.by).add(&by);
            }
        }
        Self { nodes, ..held }
    }

    /// True where nobody is known to hold anything.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Place of the node that an instance is.
    fn place(&self, of: &Instance) -> Option<usize> {
        if !of.state.is_billed() {
            return None;
        }
        if let Some(place) = self.by_id.get(&of.id) {
            return Some(*place);
        }
        let names = of.private_ip.as_deref().into_iter().chain(dns_names(of));
        let place = names.filter_map(|name| self.by_name.get(name)).flatten().next()?;
        let node = self.nodes.get(*place)?;
        (of.launched_at <= node.seen_until).then_some(*place)
    }
}

impl Fleet {
    /// Sets who holds each instance; nobody is known of one that no node, or not exactly one instance of a node's names, is.
    pub fn hold(&mut self, held: &HeldInstances) {
        if held.is_empty() {
            return;
        }
        let places: Vec<Option<usize>> =
            self.rows.iter().map(|row| held.place(&row.instance)).collect();
        let mut claims = vec![0_u32; held.nodes.len()];
        for place in places.iter().flatten() {
            if let Some(count) = claims.get_mut(*place) {
                *count += 1;
            }
        }
        for (row, place) in self.rows.iter_mut().zip(places) {
            let Some(place) = place.filter(|place| claims.get(*place) == Some(&1)) else {
                continue;
            };
            let by = held.nodes.get(place).map(|node| node.by.clone());
            // Made a moment ago, most rows are nobody else's yet.
            Arc::make_mut(row).held_by = by;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::sample;
    use crate::fleet::Row;

    /// Four instances that run, two of them with one address.
    fn fleet() -> Fleet {
        let row = |(id, ip): (&str, &str)| {
            let of = Instance {
                id: id.into(),
                private_ip: Some(ip.into()),
                launched_at: "2026-11-20T00:00:00Z".parse().unwrap(),
                ..sample::instance()
            };
            Arc::new(Row::new(of))
        };
        let all =
            [("i-1", "10.0.0.1"), ("i-2", "10.0.0.2"), ("i-3", "10.0.0.3"), ("i-4", "10.0.0.3")];
        Fleet { rows: all.into_iter().map(row).collect(), ..Fleet::default() }
    }

    fn by(job: &str) -> Arc<HeldBy> {
        Arc::new(HeldBy {
            jobs: vec![job.into()],
            users: vec!["ana".into()],
            has_unnamed: false,
            read_at: Timestamp::UNIX_EPOCH,
        })
    }

    fn node(id: Option<&str>, names: &[&str], seen_until: Timestamp, job: &str) -> HeldNode {
        let names = names.iter().map(|name| Arc::from(*name)).collect();
        HeldNode { instance_id: id.map(Into::into), names, seen_until, by: by(job) }
    }

    #[test]
    fn an_instance_is_found_by_its_id_or_by_a_name_that_it_alone_has() {
        let of = fleet();
        let launched = of.rows[1].instance.launched_at;
        let jobs = |of: &Fleet| -> Vec<Option<Arc<str>>> {
            let held = |row: &Arc<Row>| Some(row.held_by.as_ref()?.jobs[0].clone());
            of.rows.iter().map(held).collect()
        };
        let long_ago = Timestamp::UNIX_EPOCH;
        let nodes = vec![
            node(Some("i-1"), &["10.0.0.2"], long_ago, "1"),
            node(None, &["n2", "10.0.0.2"], launched, "2"),
            node(None, &["n3", "10.0.0.3"], Timestamp::MAX, "3"),
        ];
        let mut held = of.clone();
        held.hold(&HeldInstances::of(nodes.clone()));
        assert_eq!(jobs(&held), [Some("1".into()), Some("2".into()), None, None]);
        // The address was another instance's when the node was seen; two nodes with one name are neither.
        let before = HeldNode { seen_until: long_ago, ..nodes[1].clone() };
        let twice = node(None, &["n3"], Timestamp::MAX, "4");
        let again = node(None, &["10.0.0.2"], Timestamp::MAX, "5");
        for nodes in [vec![before], vec![nodes[1].clone(), again], vec![nodes[2].clone(), twice]] {
            let mut held = of.clone();
            held.hold(&HeldInstances::of(nodes));
            assert_eq!(jobs(&held), [None, None, None, None]);
        }
    }

    #[test]
    fn who_holds_it_is_said_by_name_where_it_is_one_and_by_number_else() {
        let words = |jobs: &[&str], users: &[&str], has_unnamed: bool| {
            let texts = |of: &[&str]| of.iter().map(|text| Arc::from(*text)).collect();
            let (jobs, users) = (texts(jobs), texts(users));
            HeldBy { jobs, users, has_unnamed, read_at: Timestamp::UNIX_EPOCH }.words()
        };
        assert_eq!(words(&["7"], &["ana"], false), "job 7 of ana has it by its scheduler");
        assert_eq!(words(&["7"], &[], false), "job 7 has it by its scheduler");
        assert_eq!(words(&[], &[], true), "a job has it by its scheduler");
        let two = "2 jobs of 2 users have it by their scheduler";
        assert_eq!(words(&["7", "8"], &["ana", "wei"], false), two);
        assert_eq!(words(&["7"], &["ana"], true), "2 jobs of ana have it by their scheduler");
    }

    #[test]
    fn an_instance_that_two_sources_know_is_held_by_the_jobs_of_both() {
        let mut held = fleet();
        let node = |name: &str, job| node(Some("i-1"), &[name], Timestamp::MAX, job);
        held.hold(&HeldInstances::of(vec![node("slurm-1", "7"), node("pod-1", "5")]));
        let by = held.rows[0].held_by.clone().unwrap();
        let jobs: Vec<&str> = by.jobs.iter().map(|job| &**job).collect();
        assert_eq!((jobs, by.count()), (vec!["5", "7"], 2));
        assert_eq!(by.users.len(), 1, "one user of both");
    }
}
