//! Images and samplers.

use std::ffi::c_void;
use std::ptr::null_mut;

use clreduce_kernel::{Image, ImageKind, Number, Sampler, image_format, image_type};

use super::symbols::{ClObject, ImageDescription, ImageFormat};
use super::{ClBuffer, ClContext, ClError, ClMemory, ClSampler, READ_WRITE_COPY, Result, check};

impl ImageFormat {
    /// The format of these pixels. `None` if OpenCL has no format for them.
    fn of(pixel: Number, normalized: bool) -> Option<Self> {
        let [(_, order), (_, data_type)] = image_format(pixel, normalized)?;
        Some(Self { order, data_type })
    }
}

impl ImageDescription {
    fn of(image: Image, [width, rows, slices]: [usize; 3], buffer: ClObject) -> Self {
        let (size, layers) = match image.kind {
            ImageKind::OneD | ImageKind::OneDBuffer => ([width, 0, 0], 0),
            ImageKind::OneDArray => ([width, 0, 0], rows),
            ImageKind::TwoD => ([width, rows, 0], 0),
            ImageKind::TwoDArray => ([width, rows, 0], slices),
            ImageKind::ThreeD => ([width, rows, slices], 0),
        };
        let (_, kind) = image_type(image.kind);
        let (row_pitch, slice_pitch, mip_levels, samples) = (0, 0, 0, 0);
        Self { kind, size, layers, row_pitch, slice_pitch, mip_levels, samples, buffer }
    }
}

impl ClContext {
    /// An image whose pixels are this content, row by row.
    pub(in super::super) fn image(
        &self,
        image: Image,
        pixel: Number,
        content: &mut [u8],
    ) -> Result<ClBuffer> {
        const READ_WRITE: u64 = 1;
        const FORMAT_NOT_SUPPORTED: ClError = ClError(-10);
        let format = ImageFormat::of(pixel, image.normalized).ok_or(FORMAT_NOT_SUPPORTED)?;
        let size = image.size((content.len() / pixel.bytes()) as u64).map(|size| size as usize);
        let bytes = size.iter().product::<usize>() * pixel.bytes();
        // Pixels of this kind of image lie in a buffer.
        let store = match image.kind {
            ImageKind::OneDBuffer => Some(self.buffer(content)?.memory),
            _ => None,
        };
        let (flags, from): (_, *mut c_void) = match &store {
            Some(_) => (READ_WRITE, null_mut()),
            None => (READ_WRITE_COPY, content.as_mut_ptr().cast()),
        };
        let buffer = store.as_ref().map_or(null_mut(), |store| store.raw);
        let description = ImageDescription::of(image, size, buffer);
        let mut code = 0;
        // SAFETY: format and description are those of the specification. Without pitches, the library copies as many bytes as
        // the image has, and `content` has no fewer; or it copies nothing, and the pixels are those of `buffer`.
        let raw = unsafe {
            (self.api.0.clCreateImage)(self.raw, flags, &format, &description, from, &mut code)
        };
        let memory = check(code).map(|()| ClMemory { api: self.api, raw })?;
        Ok(ClBuffer { memory, bytes, region: Some(size), _store: store })
    }

    /// A sampler.
    pub(in super::super) fn sampler(&self, sampler: Sampler) -> Result<ClSampler> {
        let ((_, addressing), (_, filter)) = (sampler.addressing.mode(), sampler.filter.mode());
        let (normalized, mut code) = (sampler.normalized.into(), 0);
        // SAFETY: the context is live.
        let raw = unsafe {
            (self.api.0.clCreateSampler)(self.raw, normalized, addressing, filter, &mut code)
        };
        check(code).map(|()| ClSampler { api: self.api, raw })
    }
}
