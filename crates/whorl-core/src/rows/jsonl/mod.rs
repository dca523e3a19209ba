//! Rows of JSON Lines. Values that are not needed are skipped without a copy, and every row keeps its original bytes.
//!
//! ```text
//! block ─cut→ lines ─decode→ text ─parse→ the requested values ─join→ rows
//! ```

mod dates;
mod lines;
mod mending;
mod rewrite;
mod row;
mod scan;
mod value;

pub use lines::{count_lines, select_lines};
pub use rewrite::{Deletion, rewrite};
pub use row::{Columns, row_text};
pub use scan::{Rejected, Scan, Strings, scan};
