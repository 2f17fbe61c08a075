//! Writes launches as a description of arguments, which [`plan`](super::plan) reads.

use clreduce_language::{KernelParameter, KernelSignature, Layout, LayoutNumber, Number, Scalar};

use super::elements::{FillValue, Literal, Members, ValueOrMembers};
use super::from_description::{ArgumentTable, LaunchTable, Several};
use crate::encode::{decode_whole, half_value};
use crate::images::{Filter, Image, Sampler};
use crate::job::{Argument, Fill, KernelLaunch};

/// Returns the text of a file `KERNEL.args.toml` with these launches; `None` if an argument cannot be written there: the
/// lanes of a vector differ, or a value is of a type that no kernel here takes.
#[must_use]
pub fn describe(launches: &[KernelLaunch], kernels: &[KernelSignature]) -> Option<String> {
    let launch = launches.iter().map(|launch| table(launch, kernels)).collect::<Option<_>>()?;
    toml::to_string(&Several { launch }).ok()
}

fn table(launch: &KernelLaunch, kernels: &[KernelSignature]) -> Option<LaunchTable> {
    let signature = kernels.iter().find(|kernel| kernel.name == launch.kernel)?;
    let arguments = launch.arguments.iter().zip(&signature.parameters);
    Some(LaunchTable {
        kernel: launch.kernel.clone(),
        global: launch.global.clone(),
        local: launch.local.clone(),
        argument: arguments
            .enumerate()
            .map(|(index, (one, parameter))| {
                let fixed = launch.fixed.contains(&index).then_some(true);
                Some(ArgumentTable { fixed, ..argument(one, parameter)? })
            })
            .collect::<Option<_>>()?,
    })
}

fn argument(argument: &Argument, parameter: &KernelParameter) -> Option<ArgumentTable> {
    Some(match (argument, parameter) {
        (
            Argument::Buffer { elements, fill: Fill::Bytes(bytes), output, .. },
            KernelParameter::Objects { kind, layout, .. },
        ) if layout.bytes > 0 && bytes.len().is_multiple_of(layout.bytes) => {
            let objects: Vec<Members> = bytes
                .chunks(layout.bytes)
                .map(|one| members(layout, one))
                .collect::<Option<_>>()?;
            let fill = match <[Members; 1]>::try_from(objects) {
                Ok([one]) => FillValue::Members(one),
                Err(several) => FillValue::Objects(several),
            };
            ArgumentTable {
                buffer: Some(kind.clone()),
                elements: Some(elements / layout.bytes as u64),
                fill: Some(fill),
                output: (!output).then_some(false),
                ..ArgumentTable::default()
            }
        }
        (Argument::Buffer { element, elements, fill, output, image, .. }, _) => {
            let (fill, bytes) = content(fill);
            let output = (!output).then_some(false);
            let content = ArgumentTable { fill, bytes, output, ..ArgumentTable::default() };
            match image {
                None => ArgumentTable {
                    buffer: Some(element.to_string()),
                    elements: Some(*elements),
                    ..content
                },
                Some(image) => ArgumentTable {
                    image: Some(element.to_string()),
                    size: Some(size(*image, *elements)),
                    normalized: image.normalized.then_some(true),
                    ..content
                },
            }
        }
        (Argument::Sampler(sampler), _) => of_sampler(*sampler),
        (Argument::Local(bytes), _) => ArgumentTable {
            local: Some("uchar".to_owned()),
            elements: Some(*bytes),
            ..ArgumentTable::default()
        },
        (Argument::Value(bytes), KernelParameter::Value(element)) => ArgumentTable {
            value: Some(element.to_string()),
            is: Some(ValueOrMembers::Value(value(*element, bytes)?)),
            ..ArgumentTable::default()
        },
        (Argument::Value(bytes), KernelParameter::Object { kind, layout }) => {
            of_object(kind, layout, bytes)?
        }
        (Argument::Value(_), _) => return None,
    })
}

/// The description of a value that is a structure, or a type which has one number.
fn of_object(kind: &str, layout: &Layout, bytes: &[u8]) -> Option<ArgumentTable> {
    let mut members = members(layout, bytes)?;
    let is = match members.remove("") {
        Some(alone) => ValueOrMembers::Value(alone),
        None => ValueOrMembers::Members(members),
    };
    Some(ArgumentTable { value: Some(kind.to_owned()), is: Some(is), ..ArgumentTable::default() })
}

fn of_sampler(sampler: Sampler) -> ArgumentTable {
    ArgumentTable {
        sampler: Some(sampler.addressing),
        filter: (sampler.filter != Filter::default()).then_some(sampler.filter),
        normalized: sampler.normalized.then_some(true),
        ..ArgumentTable::default()
    }
}

fn size(image: Image, elements: u64) -> Vec<u64> {
    image.size(elements)[..image.kind.coordinates()].to_vec()
}

/// The content of a buffer as the keys `fill` (a rule or a list of values) and `bytes` (hexadecimal digits).
fn content(fill: &Fill) -> (Option<FillValue>, Option<String>) {
    match fill {
        Fill::Steps { first, step: 0.0 } => (Some(FillValue::All(Literal::of(*first))), None),
        Fill::Steps { first, step } => {
            let [first, step] = [("first", *first), ("step", *step)];
            let members = [first, step].map(|(name, value)| (name.to_owned(), Literal::of(value)));
            (Some(FillValue::Members(members.into())), None)
        }
        Fill::Values(values) => {
            (Some(FillValue::List(values.iter().copied().map(Literal::of).collect())), None)
        }
        Fill::Bytes(bytes) => {
            (None, Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
        }
    }
}

/// The values of the members of an object; those that are 0 are left out. `None` if one of them cannot be written.
fn members(layout: &Layout, bytes: &[u8]) -> Option<Members> {
    let mut found = Members::new();
    for LayoutNumber { offset, number, name } in &layout.numbers {
        let own = bytes.get(*offset..offset + number.bytes())?;
        if name.is_empty() || own.iter().any(|&byte| byte != 0) {
            found.insert(name.clone(), value(*number, own)?);
        }
    }
    Some(found)
}

fn value(element: Number, bytes: &[u8]) -> Option<Literal> {
    let lane = Number::scalar(element.scalar).bytes();
    let first = bytes.get(..lane)?;
    if !bytes.chunks(lane).all(|other| other == first) {
        return None;
    }
    match element.scalar {
        Scalar::Half => {
            let value = half_value(u16::from_ne_bytes(first.try_into().ok()?));
            value.is_finite().then(|| Literal::of(value))
        }
        Scalar::Float => Some(Literal::of(f32::from_ne_bytes(first.try_into().ok()?).into())),
        Scalar::Double => Some(Literal::of(f64::from_ne_bytes(first.try_into().ok()?))),
        _ => decode_whole(element, first).map(Literal::Whole),
    }
}

#[cfg(test)]
mod tests {
    use clreduce_language::kernel_signatures;
    use clreduce_testcase::Language;

    use super::*;
    use crate::encode::encode_whole;
    use crate::plan;

    #[test]
    fn what_is_written_is_read_again() {
        let source = b"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\ntypedef struct { char c; float f[2]; } P; kernel void k(global int *a, constant char *c, local float2 *l, long n, uchar4 v, float f, half h, global P *p, P q, bool b, read_only image2d_array_t i, sampler_t s, write_only image2d_t o) { read_imageui(i, s, c); }";
        let kernels = kernel_signatures(source, Language::OPENCL);
        let mut launches = plan(source, None).unwrap().launches;
        launches[1].arguments[3] =
            Argument::Value(encode_whole(Number::scalar(Scalar::Long), i64::MIN + 1));
        launches[1].local = None;
        let Argument::Buffer { fill, .. } = &mut launches[0].arguments[0] else { panic!() };
        *fill = Fill::Values(vec![1.5, -2.0]);
        let text = describe(&launches, &kernels).unwrap();
        let mut read = plan(source, Some(&text)).unwrap().launches;
        // Names of buffers are not written.
        for (read, written) in read.iter_mut().zip(&launches) {
            for (read, written) in read.arguments.iter_mut().zip(&written.arguments) {
                if let (Argument::Buffer { name, .. }, Argument::Buffer { name: known, .. }) =
                    (read, written)
                {
                    name.clone_from(known);
                }
            }
        }
        assert_eq!(read, launches, "{text}");
    }
}
