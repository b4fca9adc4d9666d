//! Drawing of the Overview, which is text alone.

use super::screen::OverviewScreen;
use crate::ui::Draw;

impl Draw for OverviewScreen {}
