//! A kernel that exists, alone in its program, with its launches: what variants are made of.

use std::ops::Range;
use std::path::Path;

use clreduce_check::{
    CheckOptions, HostKernel, PreprocessError, coverage, needs_preprocessing, preprocess,
};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{Argument, Fill, KernelLaunch, Number, Scalar, describe};
use clreduce_splice::{EMI_ELEMENTS, EmiFamily, alone, donors};
use clreduce_testcase::Language;
use thiserror::Error;

/// A kernel in OpenCL C that is alone in a program without directives.
pub struct GivenKernel {
    /// The program.
    pub text: Vec<u8>,
    /// The launches of the kernel.
    pub launches: Vec<KernelLaunch>,
}

/// The reason that there are no variants of a kernel.
#[derive(Debug, Error)]
pub enum NoVariants {
    /// It cannot be preprocessed.
    #[error("the program cannot be preprocessed: {0}")]
    NotRead(#[from] PreprocessError),
    /// There is no place for an edit.
    #[error(
        "there is no place for an edit: a kernel in OpenCL C is needed that is launched, parses and has statements that run"
    )]
    NoPlace,
}

impl GivenKernel {
    /// The kernel of the first launch of a program that lies in a folder. Launches of other kernels are left out.
    ///
    /// # Errors
    /// When it cannot be preprocessed, or is not launched.
    pub fn of(
        source: Vec<u8>,
        launches: Vec<KernelLaunch>,
        folder: &Path,
        options: &CheckOptions,
        cancel: &Cancel,
    ) -> Result<Self, NoVariants> {
        let kernel = launches.first().ok_or(NoVariants::NoPlace)?.kernel.clone();
        let launches = launches.into_iter().filter(|one| one.kernel == kernel).collect();
        let text = match needs_preprocessing(&source) {
            true => preprocess(&source, folder, Language::OPENCL, options, cancel)?,
            false => source,
        };
        let text = alone(&text, &kernel).ok_or(NoVariants::NoPlace)?;
        Ok(Self { text, launches })
    }

    /// Its variants. No edit is put where no launch comes to.
    ///
    /// # Errors
    /// When there is no place for an edit.
    pub fn family(
        &self,
        seed: u64,
        options: &CheckOptions,
        cancel: &Cancel,
    ) -> Result<EmiFamily, NoVariants> {
        let unexecuted = self.unexecuted(options, cancel);
        let family = EmiFamily::of(self.text.clone(), &unexecuted, &donors(seed), seed);
        family.ok_or(NoVariants::NoPlace)
    }

    fn unexecuted(&self, options: &CheckOptions, cancel: &Cancel) -> Vec<Range<usize>> {
        let subject = HostKernel::launched(&self.text[..], Ok(self.launches.clone()));
        let counted = subject.ok().and_then(|subject| coverage(&subject, options, cancel).ok());
        counted.map(|counted| counted.never_executed()).unwrap_or_default()
    }

    /// The launches of variants, which have a buffer more.
    #[must_use]
    pub fn variant_launches(&self) -> Vec<KernelLaunch> {
        let mut launches = self.launches.clone();
        for launch in &mut launches {
            launch.arguments.push(Argument::Buffer {
                name: "emi_dead".to_owned(),
                element: Number::scalar(Scalar::Int),
                elements: EMI_ELEMENTS,
                fill: Fill::Steps { first: 0.0, step: 1.0 },
                output: false,
                image: None,
            });
        }
        launches
    }
}

/// The description of the arguments of a kernel or of a variant; `None` if they cannot be written as one.
#[must_use]
pub fn described(text: &[u8], launches: &[KernelLaunch]) -> Option<String> {
    let subject = HostKernel::launched(text, Ok(launches.to_vec())).ok()?;
    describe(launches, &subject.kernels)
}
