//! The second step: of nodes of whose GPUs some idle, the work is packed onto fewer nodes, or a smaller
//! type holds it; where jobs are small and apart, after they share GPUs by MIG.
//!
//! Nodes of one market and team are one group, since work moves only between them. A group has up to
//! four ways (smaller types alone, nodes drained, and both with MIG); each is valued as a bill with and
//! without it, on what stopping left, and the one with the largest fall is taken. The moves of all
//! groups are then made together, each only where the whole bill falls.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Done;
use super::bill::{Bill, smaller_type, type_with_mig};
use super::moves::{Goes, Groups, take as take_groups};
use crate::fleet::savings::{
    Effort, MigShare, NodeRemedy, PartlyIdleNode, Proposal, Risk, SizeVerdict, StepNote,
};

/// What a node has, or what its work needs of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    gpus: u32,
    vcpus: f64,
    memory_mib: u64,
}

impl Load {
    fn fits(&self, room: &Self) -> bool {
        self.gpus <= room.gpus
            // Needs come of divisions: a rounding must not part what fits to the vCPU.
            && self.vcpus <= room.vcpus + 1e-9
            && self.memory_mib <= room.memory_mib
    }

    fn less(&self, part: &Self) -> Self {
        Self {
            gpus: self.gpus.saturating_sub(part.gpus),
            vcpus: self.vcpus - part.vcpus,
            memory_mib: self.memory_mib.saturating_sub(part.memory_mib),
        }
    }
}

/// A partly idle node that is bought on demand and has a price.
struct Node<'a> {
    machine: usize,
    meter: usize,
    id: &'a str,
    proposal: &'a Proposal,
    /// What the node has; `None` when its type is not known.
    has: Option<Load>,
    /// What its work needs; `None` when any of it is not known.
    needs: Option<Load>,
    /// GPUs that would do with MIG.
    with_mig: Option<u32>,
}

/// What one way does with a node.
#[derive(Clone, Debug)]
struct Move {
    node: usize,
    goes: Goes,
    /// The node that takes its work in, where it is drained.
    to_node: Option<usize>,
    /// The type that it becomes otherwise.
    to_type: Option<Arc<str>>,
    by_mig: bool,
    /// What it saves at list price, USD/h.
    list: f64,
}

/// Packs, shares and shrinks what is partly idle.
pub(super) fn take(
    bill: &mut Bill<'_>,
    proposals: &[Arc<Proposal>],
) -> (Done, Vec<PartlyIdleNode>) {
    let mut done = Done::default();
    let mut rows: BTreeMap<usize, PartlyIdleNode> = BTreeMap::new();
    let nodes = nodes(bill, proposals, &mut rows);
    let mut moves: Vec<Move> = Vec::new();
    for members in grouped(bill, &nodes) {
        let ways = ways(bill, &nodes, &members);
        let claim = |way: &Vec<Move>| way.iter().map(|m| m.list).sum::<f64>();
        done.gross_alone += ways.iter().map(claim).fold(0.0, f64::max);
        moves.extend(best(bill, &nodes, ways));
    }
    // The order of rows must not matter where only some of the moves are worth it.
    moves.sort_by(|a, b| {
        b.list.total_cmp(&a.list).then_with(|| nodes[a.node].id.cmp(nodes[b.node].id))
    });
    let before = bill.compute();
    let (mut list, mut paid) = (0.0, 0);
    for (found, went) in made(bill, &nodes, &moves) {
        let node = &nodes[found.node];
        let Some(row) = rows.get_mut(&node.machine) else { continue };
        if !went {
            row.remedy = NodeRemedy::Paid;
            paid += 1;
            continue;
        }
        list += found.list;
        done.items += 1;
        let (effort, risk) = levels(node, found);
        done.levels.add(effort, risk, found.list);
        row.by_mig = found.by_mig;
        row.needs_gpus = if found.by_mig { node.with_mig } else { row.needs_gpus };
        row.gross_usd_per_hour = Some(found.list);
        let machine = &mut bill.machines[node.machine];
        match (&found.goes, found.to_node, &found.to_type) {
            (Goes::Meter(meter), _, Some(to)) => {
                (machine.meter, machine.instance_type) = (Some(*meter), to.clone());
                row.remedy = NodeRemedy::Smaller(to.clone());
            }
            (_, Some(target), _) => {
                machine.gone = true;
                row.remedy = NodeRemedy::Drain { to: nodes[target].id.into() };
                let mig = found.by_mig;
                if let Some(target) = rows.get_mut(&nodes[target].machine) {
                    take_in(target, mig);
                }
            }
            _ => {}
        }
    }
    let fall = before - bill.compute();
    say(&mut done, &rows, paid, list, fall);
    let mut rows: Vec<PartlyIdleNode> = rows.into_values().collect();
    let usd = |row: &PartlyIdleNode| row.gross_usd_per_hour.unwrap_or(-1.0);
    rows.sort_by(|a, b| usd(b).total_cmp(&usd(a)).then_with(|| a.id.cmp(&b.id)));
    (done, rows)
}

/// The nodes that something may be done with. Every partly idle one gets its row.
fn nodes<'a>(
    bill: &Bill<'a>,
    proposals: &'a [Arc<Proposal>],
    rows: &mut BTreeMap<usize, PartlyIdleNode>,
) -> Vec<Node<'a>> {
    let by_id: HashMap<&str, &Proposal> = proposals.iter().map(|p| (&*p.id, &**p)).collect();
    let mut nodes = Vec::new();
    for (place, machine) in bill.machines.iter().enumerate() {
        let Some(verdict) = machine.row.verdict.as_ref().filter(|_| machine.is_partly_idle())
        else {
            continue;
        };
        let instance = &*machine.row.instance;
        let proposal = by_id.get(&*instance.id).copied();
        let needs_gpus = proposal.and_then(|p| p.need.gpus);
        let name = if instance.name.is_empty() { &instance.id } else { &instance.name };
        let mut row = PartlyIdleNode {
            id: instance.id.clone(),
            name: name.clone(),
            instance_type: instance.instance_type.clone(),
            team: machine.row.team.clone(),
            idle_gpus: verdict.idle_gpus.unwrap_or(0),
            gpus: verdict.devices,
            needs_gpus,
            remedy: NodeRemedy::NotOnDemand,
            by_mig: false,
            mig_unknown: proposal.is_some_and(|p| p.mig == Some(MigShare::CannotTell)),
            gross_usd_per_hour: None,
        };
        let Some(meter) = machine.meter else {
            rows.insert(place, row);
            continue;
        };
        let proposal = proposal.filter(|p| {
            bill.price[meter].is_some() && (smaller_type(p).is_some() || p.need.gpus.is_some())
        });
        let Some(proposal) = proposal else {
            row.remedy = NodeRemedy::Unknown;
            rows.insert(place, row);
            continue;
        };
        (row.remedy, row.gross_usd_per_hour) = (NodeRemedy::Nothing, Some(0.0));
        rows.insert(place, row);
        let need = &proposal.need;
        let spec = machine.row.spec.as_deref();
        nodes.push(Node {
            machine: place,
            meter,
            id: &machine.row.instance.id,
            proposal,
            has: spec.map(|spec| Load {
                gpus: spec.devices(),
                vcpus: f64::from(spec.vcpus),
                memory_mib: spec.memory_mib,
            }),
            needs: need
                .gpus
                .zip(need.vcpus)
                .zip(need.memory_mib)
                .map(|((gpus, vcpus), memory_mib)| Load { gpus, vcpus, memory_mib }),
            with_mig: match proposal.mig {
                Some(MigShare::Fits { gpus, .. }) => Some(gpus),
                _ => None,
            },
        });
    }
    nodes
}

/// Nodes by market and team, each group in the order of ids. One without a team is a group of its own:
/// whose work may share a node is not known.
fn grouped(bill: &Bill<'_>, nodes: &[Node<'_>]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(usize, Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (place, node) in nodes.iter().enumerate() {
        let team = bill.machines[node.machine].row.team.as_deref().filter(|team| !team.is_empty());
        let alone = if team.is_some() && node.needs.is_some() { "" } else { node.id };
        groups.entry((node.meter, team, alone)).or_default().push(place);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    for members in &mut groups {
        members.sort_by(|a, b| nodes[*a].id.cmp(nodes[*b].id));
    }
    groups
}

/// What may be done with a group, without MIG first; ways in which nothing moves are left out.
fn ways(bill: &Bill<'_>, nodes: &[Node<'_>], members: &[usize]) -> Vec<Vec<Move>> {
    let mut ways: Vec<Vec<Move>> = Vec::new();
    let shares = members.iter().any(|n| nodes[*n].with_mig.is_some());
    for mig in [false, true] {
        if mig && !shares {
            continue;
        }
        let smaller = |n: &usize| becomes(bill, nodes, *n, mig);
        ways.push(members.iter().filter_map(smaller).collect());
        let bins = bins(nodes, members, mig);
        if bins.iter().all(|bin| bin.len() == 1) {
            continue;
        }
        let mut way: Vec<Move> = Vec::new();
        for bin in &bins {
            match bin[..] {
                [alone] => way.extend(smaller(&alone)),
                [target, ref drained @ ..] => {
                    // The target holds what it has in slices as well, where that made the room.
                    let shared = mig && bin.iter().any(|n| nodes[*n].with_mig.is_some());
                    way.extend(drained.iter().map(|n| leaves(bill, nodes, *n, target, shared)));
                }
                [] => {}
            }
        }
        ways.push(way);
    }
    ways.retain(|way| !way.is_empty());
    ways
}

/// The smaller type of a node: the cheaper of those without and with MIG.
fn becomes(bill: &Bill<'_>, nodes: &[Node<'_>], place: usize, mig: bool) -> Option<Move> {
    let node = &nodes[place];
    let plain = smaller_type(node.proposal).map(|to| (to, false));
    let shared = type_with_mig(node.proposal).filter(|_| mig).map(|to| (to, true));
    let from = bill.price[node.meter]?;
    let moves = plain.into_iter().chain(shared).filter_map(|(to, by_mig)| {
        let meter = bill.as_type(&bill.machines[node.machine], to)?;
        let list = from - bill.price[meter]?;
        (list > 0.0).then(|| Move {
            node: place,
            goes: Goes::Meter(meter),
            to_node: None,
            to_type: Some(to.clone()),
            by_mig,
            list,
        })
    });
    // Of equals the first: it asks for no MIG.
    moves.reduce(|best, other| if other.list > best.list { other } else { best })
}

fn leaves(bill: &Bill<'_>, nodes: &[Node<'_>], place: usize, target: usize, by_mig: bool) -> Move {
    Move {
        node: place,
        goes: Goes::Flat(0.0),
        to_node: Some(target),
        to_type: None,
        by_mig,
        list: bill.price[nodes[place].meter].unwrap_or(0.0),
    }
}

/// Nodes by the node that holds their work, that one first: first fit, the most GPUs first. The work of a
/// node stays together. What is not known stays where it is.
fn bins(nodes: &[Node<'_>], members: &[usize], mig: bool) -> Vec<Vec<usize>> {
    let needs = |place: usize| {
        let node = &nodes[place];
        let needs = node.needs?;
        Some(Load { gpus: node.with_mig.filter(|_| mig).unwrap_or(needs.gpus), ..needs })
    };
    let mut order: Vec<(usize, Option<Load>)> = members.iter().map(|n| (*n, needs(*n))).collect();
    order.sort_by(|(a, x), (b, y)| {
        let key = |l: Option<Load>| l.map_or((0, 0), |l| (l.gpus, l.memory_mib));
        let vcpus = |l: Option<Load>| l.map_or(0.0, |l| l.vcpus);
        key(*y)
            .cmp(&key(*x))
            .then_with(|| vcpus(*y).total_cmp(&vcpus(*x)))
            .then_with(|| nodes[*a].id.cmp(nodes[*b].id))
    });
    let mut bins: Vec<(Option<Load>, Vec<usize>)> = Vec::new();
    for (place, needs) in order {
        let fits =
            |room: Option<Load>| needs.zip(room).is_some_and(|(needs, room)| needs.fits(&room));
        match bins.iter_mut().find(|(room, _)| fits(*room)) {
            Some((room, bin)) => {
                *room = room.zip(needs).map(|(room, needs)| room.less(&needs));
                bin.push(place);
            }
            None => {
                let room = nodes[place].has.zip(needs).map(|(has, needs)| has.less(&needs));
                bins.push((room, vec![place]));
            }
        }
    }
    bins.into_iter().map(|(_, bin)| bin).collect()
}

/// The way with the largest fall of the bill; of equals the first.
fn best(bill: &mut Bill<'_>, nodes: &[Node<'_>], mut ways: Vec<Vec<Move>>) -> Vec<Move> {
    if ways.len() < 2 {
        return ways.pop().unwrap_or_default();
    }
    let (units, flat, before) = (bill.units.clone(), bill.flat, bill.compute());
    let (mut most, mut chosen) = (f64::MIN, 0);
    for (place, way) in ways.iter().enumerate() {
        let _ = made(bill, nodes, way);
        let fall = before - bill.compute();
        bill.set_units(units.clone(), flat);
        // A difference below the rounding of sums is none.
        if fall > most + 1e-9 {
            (most, chosen) = (fall, place);
        }
    }
    ways.swap_remove(chosen)
}

/// Makes the moves that lower the bill; each move with whether it was made.
fn made<'m>(bill: &mut Bill<'_>, nodes: &[Node<'_>], moves: &'m [Move]) -> Vec<(&'m Move, bool)> {
    let mut groups = Groups::default();
    for (place, found) in moves.iter().enumerate() {
        groups.add(place, nodes[found.node].meter, found.goes);
    }
    take_groups(bill, &mut groups);
    let went = groups.all.iter().flat_map(|group| {
        group.items.iter().enumerate().map(|(n, item)| (&moves[*item], n < group.taken))
    });
    went.collect()
}

/// Work and risk: what a smaller type has, more where jobs have to share GPUs.
fn levels(node: &Node<'_>, found: &Move) -> (Effort, Risk) {
    let (effort, risk) = match (&node.proposal.verdict, &found.to_type) {
        (SizeVerdict::Smaller { .. }, Some(_)) => (node.proposal.effort, node.proposal.risk),
        _ => (Effort::Medium, Risk::Medium),
    };
    if found.by_mig { (Effort::High, risk.max(Risk::Medium)) } else { (effort, risk) }
}

fn take_in(target: &mut PartlyIdleNode, by_mig: bool) {
    let before = match target.remedy {
        NodeRemedy::TakesIn(n) => n,
        _ => 0,
    };
    target.remedy = NodeRemedy::TakesIn(before + 1);
    target.by_mig |= by_mig;
}

/// What was done, what was left out and why.
fn say(done: &mut Done, rows: &BTreeMap<usize, PartlyIdleNode>, paid: u32, list: f64, fall: f64) {
    let count = |wanted: fn(&PartlyIdleNode) -> bool| {
        rows.values().filter(|row| wanted(row)).count() as u32
    };
    let drained = count(|r| matches!(r.remedy, NodeRemedy::Drain { .. }));
    let smaller = count(|r| matches!(r.remedy, NodeRemedy::Smaller(_)));
    if drained + smaller > 0 {
        let goes = |r: &PartlyIdleNode| {
            matches!(r.remedy, NodeRemedy::Drain { .. } | NodeRemedy::Smaller(_))
        };
        let by_mig = rows.values().filter(|r| goes(r) && r.by_mig).count() as u32;
        done.notes.push(StepNote::NodeRemedies { drained, smaller, by_mig });
    }
    done.unknown = count(|r| r.remedy == NodeRemedy::Unknown);
    let stay = count(|r| r.remedy == NodeRemedy::Nothing);
    let other = count(|r| r.remedy == NodeRemedy::NotOnDemand);
    let mig = count(|r| r.mig_unknown && r.remedy == NodeRemedy::Nothing);
    done.notes.extend(
        [
            (paid, StepNote::NodesPaid(paid)),
            (stay, StepNote::NodesStay(stay)),
            (mig, StepNote::MigUnknown(mig)),
            (done.unknown, StepNote::NodesUnknown(done.unknown)),
            (other, StepNote::NodesNotOnDemand(other)),
        ]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(_, note)| note),
    );
    if fall > list + 0.005 {
        done.notes.push(StepNote::UsesCommitments(fall - list));
    }
}
