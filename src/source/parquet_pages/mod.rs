//! Parquet files that somebody else wrote, read within limits.
//!
//! | file | holds |
//! |---|---|
//! | `pages` | limits of footers and pages, looked at before the decoder makes room for them |
//! | `thrift` | the form in which footers and headers of pages are written |
//! | `numbered` | columns of texts as numbers |

mod numbered;
mod pages;
mod thrift;

pub(super) use numbered::{Numbered, Numbering, Shape};
pub(super) use pages::{
    Alive, Beyond, Limits, Pages, check_columns, check_footer, check_rows, said,
};
