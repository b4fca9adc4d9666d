//! The words of what would keep an instance from being stopped.

/// What blocks a stop by a guard, as short as a cell of a list takes it; the name of the guard for one that says enough.
pub fn blocked_by(guard: &'static str) -> &'static str {
    match guard {
        "jobs" => "a job",
        "recheck" => "no telemetry",
        "owner" => "its manager",
        "group" => "its group",
        "stoppable" => "root disk",
        "instance_store" => "its type",
        "armed" => "a pin",
        "age" => "its age",
        "exempt" => "a tag",
        name => name,
    }
}

/// What a guard warns of before a stop, as short.
pub fn warned_of(guard: &'static str) -> &'static str {
    match guard {
        "instance_store" => "loses data",
        "capacity" => "hard to get",
        "saving" => "saves $0",
        "production" => "needs reason",
        name => blocked_by(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::Guard;

    #[test]
    fn words_are_those_of_guards() {
        let worded = Guard::ALL.iter().filter(|(_, name, _)| blocked_by(name) != *name);
        assert_eq!(worded.count(), 9);
        let warned = Guard::ALL.iter().filter(|(_, name, _)| warned_of(name) != blocked_by(name));
        assert_eq!(warned.count(), 4);
    }
}
