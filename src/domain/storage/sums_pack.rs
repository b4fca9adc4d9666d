//! Sums in few bytes: a prefix has objects in one or two tiers and a few bins, so most of the
//! ninety numbers of [`Sums`] are 0. A mask says which are not; those follow as LEB128.

use super::sums::Sums;

/// Numbers of [`Sums`] without the two dates.
const FIELDS: usize = 3 * super::Tier::COUNT + 5 + 2 * super::SIZE_BINS + super::AGE_BINS;
/// Bit of the mask that says that dates follow.
const DATED: u32 = FIELDS as u32;

fn fields(sums: &Sums) -> impl Iterator<Item = u64> + '_ {
    let single = [
        sums.monitored,
        sums.noncurrent_objects,
        sums.noncurrent_bytes,
        sums.delete_markers,
        sums.malformed,
    ];
    sums.objects
        .iter()
        .chain(&sums.bytes)
        .chain(&sums.padding)
        .copied()
        .chain(single)
        .chain(sums.size_objects)
        .chain(sums.size_bytes)
        .chain(sums.age_bytes)
}

fn fields_mut(sums: &mut Sums) -> impl Iterator<Item = &mut u64> {
    let single = [
        &mut sums.monitored,
        &mut sums.noncurrent_objects,
        &mut sums.noncurrent_bytes,
        &mut sums.delete_markers,
        &mut sums.malformed,
    ];
    sums.objects
        .iter_mut()
        .chain(&mut sums.bytes)
        .chain(&mut sums.padding)
        .chain(single)
        .chain(&mut sums.size_objects)
        .chain(&mut sums.size_bytes)
        .chain(&mut sums.age_bytes)
}

/// Appends `sums` to `out` in packed form.
pub(super) fn pack(sums: &Sums, out: &mut Vec<u8>) {
    let mut mask = fields(sums).enumerate().fold(0u128, |m, (i, v)| m | u128::from(v != 0) << i);
    let dated = sums.newest_ms != i64::MIN || sums.oldest_ms != i64::MAX;
    mask |= u128::from(dated) << DATED;
    leb(mask, out);
    for value in fields(sums).filter(|v| *v != 0) {
        leb(value.into(), out);
    }
    if dated {
        for date in [sums.newest_ms, sums.oldest_ms] {
            leb(u128::from((date << 1 ^ date >> 63) as u64), out);
        }
    }
}

/// Sums packed in `bytes`; missing values count as 0.
pub(super) fn unpack(mut bytes: &[u8]) -> Sums {
    let mut sums = Sums::default();
    let mask = unleb(&mut bytes);
    for (i, field) in fields_mut(&mut sums).enumerate() {
        if mask >> i & 1 == 1 {
            *field = unleb(&mut bytes) as u64;
        }
    }
    if mask >> DATED & 1 == 1 {
        let mut date = || {
            let zigzag = unleb(&mut bytes) as u64;
            (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)
        };
        (sums.newest_ms, sums.oldest_ms) = (date(), date());
    }
    sums
}

fn leb(mut value: u128, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn unleb(bytes: &mut &[u8]) -> u128 {
    let (mut value, mut shift) = (0u128, 0);
    while let Some((byte, rest)) = bytes.split_first() {
        *bytes = rest;
        if shift < 128 {
            value |= u128::from(byte & 0x7f) << shift;
        }
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            values in prop::collection::vec(prop_oneof![Just(0u64), 0u64..1000, any::<u64>()], FIELDS),
            newest in any::<i64>(),
            oldest in any::<i64>(),
        ) {
            let mut sums = Sums { newest_ms: newest, oldest_ms: oldest, ..Sums::default() };
            fields_mut(&mut sums).zip(values).for_each(|(f, v)| *f = v);
            let mut bytes = vec![7];
            pack(&sums, &mut bytes);
            prop_assert_eq!(unpack(&bytes[1..]), sums);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = unpack(&bytes);
        }
    }

    #[test]
    fn nothing_takes_a_byte() {
        let mut bytes = vec![];
        pack(&Sums::default(), &mut bytes);
        assert_eq!(bytes, [0]);
        assert_eq!(unpack(&bytes), Sums::default());
        assert_eq!(unpack(&[]), Sums::default());
    }
}
