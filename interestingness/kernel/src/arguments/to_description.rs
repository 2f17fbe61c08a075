//! Writes launches as a description of arguments, which [`plan`](super::plan) reads.

use clreduce_language::{KernelParameter, KernelSignature, Number, Scalar};

use super::from_description::{ArgumentTable, FillValue, LaunchTable, Literal, Several};
use crate::encode::decode_whole;
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
    let argument =
        |(argument, parameter): (&Argument, &KernelParameter)| match (argument, parameter) {
            (Argument::Buffer { element, elements, fill, output, .. }, _) => Some(ArgumentTable {
                buffer: Some(element.to_string()),
                elements: Some(*elements),
                fill: Some(match fill {
                    Fill::Steps { first, step: 0.0 } => FillValue::All(Literal::of(*first)),
                    Fill::Steps { first, step } => {
                        FillValue::Steps { first: Literal::of(*first), step: Literal::of(*step) }
                    }
                    Fill::Values(values) => {
                        FillValue::List(values.iter().copied().map(Literal::of).collect())
                    }
                }),
                output: (!output).then_some(false),
                ..ArgumentTable::default()
            }),
            (Argument::Local(bytes), _) => Some(ArgumentTable {
                local: Some("uchar".to_owned()),
                elements: Some(*bytes),
                ..ArgumentTable::default()
            }),
            (Argument::Value(bytes), KernelParameter::Value(element)) => Some(ArgumentTable {
                value: Some(element.to_string()),
                is: Some(value(*element, bytes)?),
                ..ArgumentTable::default()
            }),
            (Argument::Value(_), _) => None,
        };
    Some(LaunchTable {
        kernel: launch.kernel.clone(),
        global: launch.global.clone(),
        local: launch.local.clone(),
        argument: arguments.map(argument).collect::<Option<_>>()?,
    })
}

fn value(element: Number, bytes: &[u8]) -> Option<Literal> {
    let lane = Number::scalar(element.scalar).bytes();
    let first = bytes.get(..lane)?;
    if !bytes.chunks(lane).all(|other| other == first) {
        return None;
    }
    match element.scalar {
        Scalar::Float => Some(Literal::of(f32::from_ne_bytes(first.try_into().ok()?).into())),
        Scalar::Double => Some(Literal::of(f64::from_ne_bytes(first.try_into().ok()?))),
        Scalar::Half => None,
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
        let source = b"kernel void k(global int *a, constant char *c, local float2 *l, long n, uchar4 v, float f) {}";
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
