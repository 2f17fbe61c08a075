//! The search for the devices that a recipe names.

use clreduce_devices::{Device, Devices, WorkerOptions};
use clreduce_kernel::ProgramKind;
use toml::Spanned;

use super::USUAL_MEMORY;
use crate::configuration::{DevicePool, Means, RecipeConfiguration};
use crate::error::Problem;
use crate::format::{ConfigurationTable, Document};
use crate::{RecipeOptions, machine, naming};

/// The number of jobs that run on a GPU at the same time, where the recipe does not say. Most of the time, they are in the driver's
/// compiler, on a processor; but each has a context, which takes memory of the GPU.
const USUAL_JOBS: u32 = 8;

/// Finds devices, each once.
pub(super) struct Finder<'a> {
    pub(super) options: &'a RecipeOptions,
    pub(super) runs: ProgramKind,
    pub(super) found: Option<Devices>,
    pub(super) pools: Vec<DevicePool>,
}

impl Finder<'_> {
    pub(super) fn configuration(
        &mut self,
        document: &Document,
        table: &Spanned<ConfigurationTable>,
    ) -> Result<RecipeConfiguration, Problem> {
        let table = table.get_ref();
        let means = match (&table.device, &table.build) {
            (Some(name), _) => {
                let device = self.device(name)?;
                let found = &self.pools[device].device;
                let (simulated, fair) = (found.backend.is_simulated(), found.is_timed_fairly());
                // Warnings are off, as in the hosts of CLsmith.
                let options =
                    format!("-w {} {}", document.options.get_ref(), table.options.get_ref());
                let options = options.split_whitespace().collect::<Vec<_>>().join(" ");
                Means::Device { device, options, simulated, fair }
            }
            (None, build) => {
                let commands = build.iter().chain(&table.run);
                if let Some(build) = build {
                    machine::require_program(build)?;
                }
                let mut lines = commands.map(|line| line.get_ref().clone());
                Means::Commands { build: lines.next().unwrap_or_default(), run: lines.next() }
            }
        };
        Ok(RecipeConfiguration {
            name: table.name(),
            means,
            memory: table.memory.map_or(USUAL_MEMORY, |size| size.0),
            timeout: table.timeout.map(|time| time.0),
        })
    }

    pub(super) fn device(&mut self, name: &Spanned<String>) -> Result<usize, Problem> {
        let at = name.span().start;
        let program = self.options.worker.clone().ok_or_else(|| {
            Problem::new(
                "devices need a worker program, and the caller has set none",
                "name the program `clreduce` as the worker",
            )
            .at(at)
        })?;
        let worker = WorkerOptions {
            temporary: self.options.temporary.clone(),
            confinement: self.options.confinement.clone(),
            ..WorkerOptions::new(program)
        };
        let found = self.found.get_or_insert_with(|| {
            let known = self.options.devices.clone();
            let known = known.map(|devices| Devices { devices, problems: Vec::new() });
            let mut found = known.unwrap_or_else(|| Devices::find(&worker, &[]));
            found.devices.retain(|device| device.takes() == self.runs);
            found
        });
        let installed = self.options.zoo.iter().find(|one| one.label() == *name.get_ref());
        if let Some(installation) = installed
            && found.devices.iter().all(|device| device.label().as_ref() != Some(name.get_ref()))
        {
            found.add_installation(installation, &worker);
            found.devices.retain(|device| device.takes() == self.runs);
        }
        let device = naming::find(name.get_ref(), &found.devices).cloned();
        let device = device.ok_or_else(|| no_device(name.get_ref(), found).at(at))?;
        if let Some(known) = self.pools.iter().position(|pool| pool.device == device) {
            return Ok(known);
        }
        self.pools.push(DevicePool::new(device, worker));
        Ok(self.pools.len() - 1)
    }

    /// The number of jobs of each device.
    pub(super) fn jobs(&self, document: &Document) -> Vec<u32> {
        let jobs = |pool: &DevicePool| {
            let found = self.found.iter().flat_map(|found| &found.devices);
            let all: Vec<Device> = found.cloned().collect();
            let given = document.configurations.iter().map(Spanned::get_ref).filter_map(|table| {
                let name = table.device.as_ref()?.get_ref();
                (naming::find(name, &all) == Some(&pool.device)).then_some(table.jobs?)
            });
            let usual = if pool.device.is_robust() { u32::MAX } else { USUAL_JOBS };
            given.min().unwrap_or(usual).max(1)
        };
        self.pools.iter().map(jobs).collect()
    }
}

fn no_device(name: &str, found: &Devices) -> Problem {
    let names = found
        .devices
        .iter()
        .map(|device| format!("\n    {}: {}", device.facts.platform, device.facts.name));
    let there: String =
        names.chain(found.problems.iter().map(|text| format!("\n    {text}"))).collect();
    let help = if there.is_empty() { "\n    none".to_owned() } else { there };
    Problem::new(
        format!("there is no device `{name}`"),
        format!(
            "write a part of the name of one of these, or name the zoo of an installation with --zoo:{help}"
        ),
    )
}
