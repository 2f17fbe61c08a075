//! The names and numbers that OpenCL has for images and samplers: backends need the numbers, and host programs the names.

use clreduce_language::{ImageKind, Number, Scalar};

use crate::images::{Addressing, Filter};

/// The name of a constant of OpenCL without its prefix, and its value.
pub type OpenClConstant = (&'static str, u32);

/// The order and type of the numbers of a pixel. `None` if OpenCL has no format for them.
#[must_use]
pub fn image_format(pixel: Number, normalized: bool) -> Option<[OpenClConstant; 2]> {
    let order = match pixel.lanes {
        1 => ("R", 0x10b0),
        2 => ("RG", 0x10b2),
        4 => ("RGBA", 0x10b5),
        _ => return None,
    };
    let data_type = match (pixel.scalar, normalized) {
        (Scalar::Char, true) => ("SNORM_INT8", 0x10d0),
        (Scalar::Short, true) => ("SNORM_INT16", 0x10d1),
        (Scalar::Uchar, true) => ("UNORM_INT8", 0x10d2),
        (Scalar::Ushort, true) => ("UNORM_INT16", 0x10d3),
        (Scalar::Char, false) => ("SIGNED_INT8", 0x10d7),
        (Scalar::Short, false) => ("SIGNED_INT16", 0x10d8),
        (Scalar::Int, false) => ("SIGNED_INT32", 0x10d9),
        (Scalar::Uchar, false) => ("UNSIGNED_INT8", 0x10da),
        (Scalar::Ushort, false) => ("UNSIGNED_INT16", 0x10db),
        (Scalar::Uint, false) => ("UNSIGNED_INT32", 0x10dc),
        (Scalar::Half, false) => ("HALF_FLOAT", 0x10dd),
        (Scalar::Float, false) => ("FLOAT", 0x10de),
        _ => return None,
    };
    Some([order, data_type])
}

/// The type of an image as an object of memory.
#[must_use]
pub fn image_type(kind: ImageKind) -> OpenClConstant {
    match kind {
        ImageKind::OneD => ("IMAGE1D", 0x10f4),
        ImageKind::OneDBuffer => ("IMAGE1D_BUFFER", 0x10f6),
        ImageKind::OneDArray => ("IMAGE1D_ARRAY", 0x10f5),
        ImageKind::TwoD => ("IMAGE2D", 0x10f1),
        ImageKind::TwoDArray => ("IMAGE2D_ARRAY", 0x10f3),
        ImageKind::ThreeD => ("IMAGE3D", 0x10f2),
    }
}

impl Addressing {
    /// The mode of a sampler.
    #[must_use]
    pub fn mode(self) -> OpenClConstant {
        match self {
            Self::None => ("NONE", 0x1130),
            Self::ClampToEdge => ("CLAMP_TO_EDGE", 0x1131),
            Self::Clamp => ("CLAMP", 0x1132),
            Self::Repeat => ("REPEAT", 0x1133),
            Self::MirroredRepeat => ("MIRRORED_REPEAT", 0x1134),
        }
    }
}

impl Filter {
    /// The mode of a sampler.
    #[must_use]
    pub fn mode(self) -> OpenClConstant {
        match self {
            Self::Nearest => ("NEAREST", 0x1140),
            Self::Linear => ("LINEAR", 0x1141),
        }
    }
}
