//! Images and samplers in a host program for OpenCL.

use super::Lines;
use crate::images::{Image, Sampler};
use crate::{ImageKind, Number, image_format, image_type};

/// The argument at `index`: an image whose pixels are the content of that number. Returns the beginning of a call that prints them;
/// `None` if there is no format of such pixels.
pub(super) fn image(
    lines: &mut Lines,
    index: usize,
    image: Image,
    pixel: Number,
    elements: u64,
) -> Option<String> {
    let [(order, _), (data_type, _)] = image_format(pixel, image.normalized)?;
    let [width, rows, slices] = image.size(elements);
    let bytes = elements * pixel.bytes() as u64;
    let mut sizes = format!(".image_width = {width}");
    sizes += &match image.kind {
        ImageKind::OneD | ImageKind::OneDBuffer => String::new(),
        ImageKind::OneDArray => format!(", .image_array_size = {rows}"),
        ImageKind::TwoD => format!(", .image_height = {rows}"),
        ImageKind::TwoDArray => {
            format!(", .image_height = {rows}, .image_array_size = {slices}")
        }
        ImageKind::ThreeD => format!(", .image_height = {rows}, .image_depth = {slices}"),
    };
    let (kind, _) = image_type(image.kind);
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
    let ((addressing, _), (filter, _)) = (sampler.addressing.mode(), sampler.filter.mode());
    let normalized = if sampler.normalized { "TRUE" } else { "FALSE" };
    lines.add(format!(
        "cl_sampler sampler{index} = clCreateSampler(context, CL_{normalized}, CL_ADDRESS_{addressing}, CL_FILTER_{filter}, &code);"
    ));
    lines.add("check(code, \"sampler\");".to_owned());
    lines.add(format!(
        "check(clSetKernelArg(kernel, {index}, sizeof sampler{index}, &sampler{index}), \"argument\");"
    ));
}
