//! Images and samplers in a host program for OpenCL.

use super::Lines;
use crate::images::{Addressing, Filter, Image, Sampler};
use crate::{ImageKind, Number, Scalar};

/// The argument at `index`: an image whose pixels are the content of that number. Returns the beginning of a call that prints them;
/// `None` if there is no format of such pixels.
pub(super) fn image(
    lines: &mut Lines,
    index: usize,
    image: Image,
    pixel: Number,
    elements: u64,
) -> Option<String> {
    let (order, data_type) = (order(pixel)?, data_type(pixel, image.normalized)?);
    let [width, rows, slices] = image.size(elements);
    let bytes = elements * pixel.bytes() as u64;
    let (kind, sizes) = match image.kind {
        ImageKind::OneD => ("IMAGE1D", format!(".image_width = {width}")),
        ImageKind::OneDBuffer => ("IMAGE1D_BUFFER", format!(".image_width = {width}")),
        ImageKind::OneDArray => {
            ("IMAGE1D_ARRAY", format!(".image_width = {width}, .image_array_size = {rows}"))
        }
        ImageKind::TwoD => ("IMAGE2D", format!(".image_width = {width}, .image_height = {rows}")),
        ImageKind::TwoDArray => (
            "IMAGE2D_ARRAY",
            format!(".image_width = {width}, .image_height = {rows}, .image_array_size = {slices}"),
        ),
        ImageKind::ThreeD => (
            "IMAGE3D",
            format!(".image_width = {width}, .image_height = {rows}, .image_depth = {slices}"),
        ),
    };
    lines.add(format!("cl_image_format format{index} = {{CL_{order}, CL_{data_type}}};"));
    lines.add(format!(
        "cl_image_desc shape{index} = {{.image_type = CL_MEM_OBJECT_{kind}, {sizes}}};"
    ));
    let copies = "CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR";
    let (flags, from) = match image.kind {
        ImageKind::OneDBuffer => {
            lines.add(format!(
                "shape{index}.buffer = clCreateBuffer(context, {copies}, {bytes}, content{index}, &code);"
            ));
            lines.add("check(code, \"buffer\");".to_owned());
            ("CL_MEM_READ_WRITE", "NULL".to_owned())
        }
        _ => (copies, format!("content{index}")),
    };
    lines.add(format!(
        "cl_mem buffer{index} = clCreateImage(context, {flags}, &format{index}, &shape{index}, {from}, &code);"
    ));
    lines.add("check(code, \"image\");".to_owned());
    lines.add(format!(
        "check(clSetKernelArg(kernel, {index}, sizeof buffer{index}, &buffer{index}), \"argument\");"
    ));
    Some(format!("show(queue, (size_t[]){{{width}, {rows}, {slices}}}, "))
}

/// The argument at `index`: a sampler.
pub(super) fn sampler(lines: &mut Lines, index: usize, sampler: Sampler) {
    let addressing = match sampler.addressing {
        Addressing::None => "NONE",
        Addressing::ClampToEdge => "CLAMP_TO_EDGE",
        Addressing::Clamp => "CLAMP",
        Addressing::Repeat => "REPEAT",
        Addressing::MirroredRepeat => "MIRRORED_REPEAT",
    };
    let filter = match sampler.filter {
        Filter::Nearest => "NEAREST",
        Filter::Linear => "LINEAR",
    };
    let normalized = if sampler.normalized { "TRUE" } else { "FALSE" };
    lines.add(format!(
        "cl_sampler sampler{index} = clCreateSampler(context, CL_{normalized}, CL_ADDRESS_{addressing}, CL_FILTER_{filter}, &code);"
    ));
    lines.add("check(code, \"sampler\");".to_owned());
    lines.add(format!(
        "check(clSetKernelArg(kernel, {index}, sizeof sampler{index}, &sampler{index}), \"argument\");"
    ));
}

fn order(pixel: Number) -> Option<&'static str> {
    match pixel.lanes {
        1 => Some("R"),
        2 => Some("RG"),
        4 => Some("RGBA"),
        _ => None,
    }
}

fn data_type(pixel: Number, normalized: bool) -> Option<&'static str> {
    Some(match (pixel.scalar, normalized) {
        (Scalar::Char, true) => "SNORM_INT8",
        (Scalar::Short, true) => "SNORM_INT16",
        (Scalar::Uchar, true) => "UNORM_INT8",
        (Scalar::Ushort, true) => "UNORM_INT16",
        (Scalar::Char, false) => "SIGNED_INT8",
        (Scalar::Short, false) => "SIGNED_INT16",
        (Scalar::Int, false) => "SIGNED_INT32",
        (Scalar::Uchar, false) => "UNSIGNED_INT8",
        (Scalar::Ushort, false) => "UNSIGNED_INT16",
        (Scalar::Uint, false) => "UNSIGNED_INT32",
        (Scalar::Half, false) => "HALF_FLOAT",
        (Scalar::Float, false) => "FLOAT",
        _ => return None,
    })
}
