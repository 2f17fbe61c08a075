//! Images and samplers as arguments.

use clreduce_language::ImageKind;
use serde::{Deserialize, Serialize};

/// The way in which a buffer is an image: its elements are pixels of one, two or four numbers, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its type.
    pub kind: ImageKind,
    /// The rows of a slice or, of rows alone, the layers; 1 for an image of one dimension.
    pub rows: u64,
    /// The slices or layers; 1 for an image of less than three coordinates.
    pub slices: u64,
    /// True if a kernel reads whole numbers as parts of the largest one: from 0 to 1, or from -1 to 1.
    pub normalized: bool,
}

impl Image {
    /// An image with a pixel for each work-item of a launch of this size: the first coordinates are the first identifiers.
    pub(crate) fn of_launch(kind: ImageKind, global: &[u64]) -> (Self, u64) {
        let mut size = [1_u64; 3];
        let last = kind.coordinates() - 1;
        for (dimension, items) in global.iter().enumerate() {
            let place = &mut size[dimension.min(last)];
            *place = place.saturating_mul(*items);
        }
        Self::of_size(kind, size)
    }

    /// An image of this size, with the number of its pixels.
    pub(crate) fn of_size(kind: ImageKind, [width, rows, slices]: [u64; 3]) -> (Self, u64) {
        let elements = width.saturating_mul(rows).saturating_mul(slices);
        (Self { kind, rows, slices, normalized: false }, elements)
    }

    /// The width, rows and slices, in pixels, of an image of `elements` pixels.
    #[must_use]
    pub fn size(self, elements: u64) -> [u64; 3] {
        [elements / self.rows.max(1) / self.slices.max(1), self.rows, self.slices]
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampler {
    /// True if coordinates are parts of the image's size.
    pub normalized: bool,
    /// The rule for coordinates outside of the image.
    pub addressing: Addressing,
    /// The choice or mixture of pixels.
    pub filter: Filter,
}

/// The rule for coordinates outside of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Addressing {
    /// There are none.
    None,
    /// The nearest pixel of the image.
    #[default]
    ClampToEdge,
    /// A border of one colour.
    Clamp,
    /// The image again.
    Repeat,
    /// The image again, from its end.
    MirroredRepeat,
}

/// The choice or mixture of pixels that a sampler gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The nearest one.
    #[default]
    Nearest,
    /// A mixture of those around the place.
    Linear,
}

impl Sampler {
    /// The number that stands for it in a kernel, as `CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST` does.
    #[must_use]
    pub fn bits(self) -> u32 {
        let filter = if self.filter == Filter::Linear { 0x20 } else { 0x10 };
        u32::from(self.normalized) | (self.addressing as u32) << 1 | filter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_has_a_pixel_for_each_work_item() {
        let (image, elements) = Image::of_launch(ImageKind::TwoD, &[4, 3, 2]);
        assert_eq!((image.size(elements), elements), ([4, 6, 1], 24));
        let (image, elements) = Image::of_launch(ImageKind::OneDBuffer, &[4, 3]);
        assert_eq!(image.size(elements), [12, 1, 1]);
        let (image, elements) = Image::of_launch(ImageKind::TwoDArray, &[4]);
        assert_eq!(image.size(elements), [4, 1, 1]);
    }

    #[test]
    fn samplers_have_the_bits_of_opencl() {
        let sampler =
            Sampler { normalized: true, addressing: Addressing::Repeat, filter: Filter::Linear };
        assert_eq!((Sampler::default().bits(), sampler.bits()), (0x12, 0x27));
    }
}
