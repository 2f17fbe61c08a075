//! What stands between a machine and an OpenCL device: the loader, the file that tells it about a driver, or the driver.

use std::path::{Path, PathBuf};

use crate::search::{files_in, library, opencl_vendors};
use crate::{NVIDIA_OPENCL, OPENCL_LOADER, POCL, Tool, install_all};

/// NVIDIA's driver for OpenCL.
const OF_NVIDIA: &str = "libnvidia-opencl.so.1";

/// Returns the reason that there is no OpenCL device, and what to do; `None` if a loader and a file about a driver are there.
#[must_use]
pub fn no_opencl_device() -> Option<String> {
    let vendors = opencl_vendors();
    let drivers =
        || files_in(&vendors).iter().any(|file| file.extension().is_some_and(|end| end == "icd"));
    let missing: Vec<&Tool> = match (OPENCL_LOADER.find().is_some(), drivers()) {
        (true, true) => return None,
        (false, true) => vec![&OPENCL_LOADER],
        (false, false) => vec![&OPENCL_LOADER, &POCL],
        (true, false) => vec![&POCL],
    };
    Some(advice(&missing, &vendors, library(&[OF_NVIDIA])))
}

fn advice(missing: &[&Tool], vendors: &Path, of_nvidia: Option<PathBuf>) -> String {
    let folder = vendors.display();
    let what = match missing {
        [one] if **one == OPENCL_LOADER => "there is no OpenCL loader".to_owned(),
        [_] => format!("the OpenCL loader finds no driver, as {folder} has no file about one"),
        _ => "there is neither an OpenCL loader nor a driver".to_owned(),
    };
    let nvidia = match of_nvidia {
        // The library is there, but not the file.
        Some(path) if missing.contains(&&POCL) => format!(
            "NVIDIA's driver {} is there: mkdir -p {folder} && echo {OF_NVIDIA} >{folder}/nvidia.icd",
            path.display()
        ),
        _ => format!("NVIDIA's GPUs need {}", NVIDIA_OPENCL.packages()),
    };
    format!("{what}: {}; {nvidia}", install_all(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_apart() {
        let advice = |missing: &[&Tool], of_nvidia: Option<&str>| {
            advice(missing, Path::new("/vendors"), of_nvidia.map(PathBuf::from))
        };
        assert_eq!(
            advice(&[&OPENCL_LOADER], None),
            "there is no OpenCL loader: apt-get install ocl-icd-libopencl1; NVIDIA's GPUs need nvidia-opencl-icd"
        );
        assert_eq!(
            advice(&[&OPENCL_LOADER, &POCL], None),
            "there is neither an OpenCL loader nor a driver: apt-get install ocl-icd-libopencl1 pocl-opencl-icd; NVIDIA's \
             GPUs need nvidia-opencl-icd"
        );
        assert_eq!(
            advice(&[&POCL], Some("/lib/libnvidia-opencl.so.1")),
            "the OpenCL loader finds no driver, as /vendors has no file about one: apt-get install pocl-opencl-icd; \
             NVIDIA's driver /lib/libnvidia-opencl.so.1 is there: mkdir -p /vendors && echo libnvidia-opencl.so.1 \
             >/vendors/nvidia.icd"
        );
    }
}
