//! Debug information against what compiled programs say of themselves: offsets, addresses and frames,
//! by every compiler that is here, with and without optimisation, in both formats. And that broken
//! files answer less, never something else.

#[path = "debug/compiled.rs"]
mod compiled;

#[path = "debug/broken.rs"]
mod broken;
#[path = "debug/frames.rs"]
mod frames;
#[path = "debug/places.rs"]
mod places;
#[path = "debug/shapes.rs"]
mod shapes;
