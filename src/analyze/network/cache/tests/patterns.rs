//! Patterns are named for what they are.

use super::*;
use crate::analyze::network::cache::Pattern;

const OBJECTS: u64 = 1_000;

fn pattern(objects: impl IntoIterator<Item = u64>) -> Option<Pattern> {
    folded(objects.into_iter().map(|object| read(hash(object), GIB)), &[]).all.pattern
}

#[test]
fn loops_rounds_streams_favourites_and_chance_are_told_apart() {
    let mut rng = fastrand::Rng::with_seed(7);
    assert_eq!(pattern(0..5 * OBJECTS), Some(Pattern::Once));
    assert_eq!(pattern((0..5 * OBJECTS).map(|i| i % OBJECTS)), Some(Pattern::Loop));
    let mut rounds = Vec::new();
    for _ in 0..6 {
        let mut order: Vec<u64> = (0..OBJECTS).collect();
        rng.shuffle(&mut order);
        rounds.extend(order);
    }
    assert_eq!(pattern(rounds), Some(Pattern::Shuffled));
    let any: Vec<u64> = (0..8 * OBJECTS).map(|_| rng.u64(0..OBJECTS)).collect();
    assert_eq!(pattern(any), Some(Pattern::Random));
    assert_eq!(pattern((0..5 * OBJECTS).map(|i| i / 5)), Some(Pattern::Local));
    assert_eq!(pattern([]), None);
}
