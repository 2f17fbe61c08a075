//! Images as parameters of kernels.

use serde::{Deserialize, Serialize};

use crate::numbers::{Number, Scalar};

/// A type of images. Those of depths, and those with several samples, are not known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageKind {
    /// `image1d_t`.
    OneD,
    /// `image1d_buffer_t`.
    OneDBuffer,
    /// `image1d_array_t`.
    OneDArray,
    /// `image2d_t`.
    TwoD,
    /// `image2d_array_t`.
    TwoDArray,
    /// `image3d_t`.
    ThreeD,
}

const NAMES: [(&str, ImageKind); 6] = [
    ("image1d_t", ImageKind::OneD),
    ("image1d_buffer_t", ImageKind::OneDBuffer),
    ("image1d_array_t", ImageKind::OneDArray),
    ("image2d_t", ImageKind::TwoD),
    ("image2d_array_t", ImageKind::TwoDArray),
    ("image3d_t", ImageKind::ThreeD),
];

/// The endings of the functions that read and write images, with the numbers that they give and take.
const ENDINGS: [(&str, Scalar); 4] =
    [("f", Scalar::Float), ("i", Scalar::Int), ("ui", Scalar::Uint), ("h", Scalar::Half)];

impl ImageKind {
    /// The type with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// The numbers that name a pixel, that of the layer included.
    #[must_use]
    pub fn coordinates(self) -> usize {
        match self {
            Self::OneD | Self::OneDBuffer => 1,
            Self::OneDArray | Self::TwoD => 2,
            Self::TwoDArray | Self::ThreeD => 3,
        }
    }

    /// True if its last coordinate is a layer.
    #[must_use]
    pub fn has_layers(self) -> bool {
        matches!(self, Self::OneDArray | Self::TwoDArray)
    }
}

/// Returns the pixels with which a program uses an image: as the functions read or write them to which it passes the image, else
/// as its functions for images do if they all agree, else as four numbers of floating point.
pub(crate) fn pixel(words: &[&str], image: &str) -> Number {
    let calls = words.windows(3).filter(|window| window[1] == "(");
    let of_call = |window: &[&str]| {
        let ending =
            window[0].strip_prefix("read_image").or(window[0].strip_prefix("write_image"))?;
        ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, scalar)| *scalar)
    };
    let (mut own, mut all) = (None, Vec::new());
    for window in calls {
        let Some(scalar) = of_call(window) else { continue };
        if window[2] == image {
            own = own.or(Some(scalar));
        }
        if !all.contains(&scalar) {
            all.push(scalar);
        }
    }
    let only = <[Scalar; 1]>::try_from(all).ok().map(|[only]| only);
    Number { scalar: own.or(only).unwrap_or(Scalar::Float), lanes: 4 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::macros::words;

    #[test]
    fn pixels_are_those_of_the_functions_that_use_an_image() {
        let pixel = |source: &str, name: &str| pixel(&words(source.as_bytes()), name).scalar;
        let both = "read_imageui(a, s, c); write_imagef(b, c, v);";
        assert_eq!((pixel(both, "a"), pixel(both, "b")), (Scalar::Uint, Scalar::Float));
        assert_eq!(pixel(both, "c"), Scalar::Float);
        assert_eq!(pixel("int4 f(image2d_t i) { return read_imagei(i, c); }", "a"), Scalar::Int);
        assert_eq!(pixel("get_image_width(a)", "a"), Scalar::Float);
    }
}
