//! The causes of an error, from the outermost layer in.

use std::error::Error;

use crate::domain::text::without_errno;

/// The error and its causes, outermost first.
pub fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let this = next?;
        next = this.source();
        Some(this)
    })
}

/// First error of type `T` in the chain of causes; `None` without one.
pub fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    chain(error).find_map(|e| e.downcast_ref::<T>())
}

/// Message of the innermost cause; outer layers only say that something failed.
pub fn root(error: &(dyn Error + 'static)) -> String {
    chain(error).last().map(|e| without_errno(&e.to_string()).to_owned()).unwrap_or_default()
}
