//! The matrix of a campaign: its devices, and the configurations that every program runs on.

use clreduce_devices::Device;
use clreduce_kernel::ProgramKind;

/// A device with compiler options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The device, by its place in [`Matrix::devices`].
    pub device: usize,
    /// Compiler options of this configuration alone.
    pub options: String,
}

/// The devices and configurations of a campaign.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Each device with a short name that no other one has. It may be there for alarms alone.
    pub devices: Vec<(String, Device)>,
    /// The configurations.
    pub configurations: Vec<Configuration>,
    /// The device that executes kernels without a driver, if there is one: it confirms right results.
    pub host: Option<usize>,
    /// Options for every build, such as the version of the language.
    pub options: String,
    /// The kind of the programs.
    pub kind: ProgramKind,
}

impl Matrix {
    /// The name of a configuration, as in recipes.
    #[must_use]
    pub fn name(&self, configuration: usize) -> String {
        let Configuration { device, options } = &self.configurations[configuration];
        format!("{} {options}", self.devices[*device].0).trim_end().to_owned()
    }

    /// The names of all configurations.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        (0..self.configurations.len()).map(|index| self.name(index)).collect()
    }

    /// The configuration with a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        (0..self.configurations.len()).find(|index| self.name(*index) == name)
    }

    /// The end of the names of the programs' files.
    pub(crate) fn extension(&self) -> &'static str {
        if self.kind == ProgramKind::OpenCl { "cl" } else { "cu" }
    }

    /// The options of a build on a device. Warnings are off, as for `clreduce run`.
    pub(crate) fn build_options(&self, own: &str) -> String {
        let words = format!("-w {} {own}", self.options);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
