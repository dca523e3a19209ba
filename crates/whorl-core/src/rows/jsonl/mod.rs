//! Rows of JSON Lines, read without copying what is not asked for, so that every row keeps its bytes.
//!
//! ```text
//! block ─cut→ lines ─decode→ text ─parse→ the wanted values ─join→ rows
//! ```

mod dates;
mod lines;
mod mending;
mod row;
mod scan;
mod value;

pub use lines::{count_lines, select_lines};
pub use row::{Columns, row_text};
pub use scan::{Rejected, Scan, Strings, scan};
