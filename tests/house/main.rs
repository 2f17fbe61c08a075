//! Tests of the source tree itself: its layers, its circles, its documents, its packages.

mod workspace;

mod architecture;
mod circles;
mod docs;
mod packaging;
mod tidy;
