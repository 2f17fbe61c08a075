//! A feature that is to be avoided is nowhere in the program: each feature alone, in each mode that can do without it.

use clreduce_generator::ir::{
    CombineMethod, ExprKind, Jump, ObjectType, Place, Program, ScalarType, StmtKind, Storage, Ty,
    VarId,
};
use clreduce_generator::{Avoid, Mode, Profile, Target, TokenRange, generate, names};

/// A construct of a program with the types of its value and its operands.
type Construct = (&'static str, Vec<Ty>);

/// All constructs in the text of a program that have a name.
fn constructs(program: &Program) -> Vec<Construct> {
    let mut found = Vec::new();
    for id in program.statements() {
        let stmt = &program.stmt(id).kind;
        let ty = |variable: &VarId| vec![program.variable(*variable).ty];
        let (name, types) = match stmt {
            StmtKind::Declare(variable, _) if program.volatile.contains(variable) => {
                ("volatile", ty(variable))
            }
            StmtKind::Declare(variable, _) => ("", ty(variable)),
            StmtKind::DeclareArray(variable, _) => {
                if program.volatile.contains(variable) {
                    found.push(("volatile", ty(variable)));
                }
                ("array", ty(variable))
            }
            StmtKind::Call(_) => ("procedure", Vec::new()),
            StmtKind::DeclareObject(object, _) => {
                of_shape(program, &program.shape(*object), &mut found);
                continue;
            }
            StmtKind::Assign(Place::Lanes(variable, _), _) => ("lane", ty(variable)),
            StmtKind::Assign(Place::Store(..), value) => ("vstore", vec![program.ty(*value)]),
            StmtKind::If(..) => ("if", Vec::new()),
            StmtKind::Switch(switch) => {
                if switch.has_ranges() {
                    found.push(("case_range", Vec::new()));
                }
                ("switch", Vec::new())
            }
            StmtKind::Merged(merge, _) => (merge.name(), Vec::new()),
            StmtKind::For(details) => ("loop", ty(&details.counter)),
            StmtKind::Jump(Jump::Break, _) => ("break", Vec::new()),
            StmtKind::Jump(Jump::Continue, _) => ("continue", Vec::new()),
            StmtKind::Jump(Jump::Goto(_), _) => ("goto", Vec::new()),
            StmtKind::Barrier => {
                if program.is_in_function(id) {
                    found.push(("called_barrier", Vec::new()));
                }
                ("barrier", Vec::new())
            }
            StmtKind::Gather(gather) if gather.way == CombineMethod::CompareExchange => {
                ("compare_exchange", Vec::new())
            }
            StmtKind::Gather(_) => ("ticket", Vec::new()),
            StmtKind::Reduce(_) => ("atomic_reduction", Vec::new()),
            StmtKind::Section(_) => ("atomic_section", Vec::new()),
            StmtKind::Collective(one) => {
                let types = vec![program.ty(one.value), program.variable(one.into).ty];
                found.push((one.function.feature(), Vec::new()));
                (one.function.name(), types)
            }
            StmtKind::GroupCopy(copy) if copy.stride > 1 => ("async_strided_copy", Vec::new()),
            StmtKind::GroupCopy(_) => ("async_copy", Vec::new()),
            StmtKind::Mma(mma) => (mma.tile.name(), Vec::new()),
            _ => continue,
        };
        found.push((name, types));
        match stmt {
            StmtKind::For(details) => {
                found.push((details.form.name(), Vec::new()));
                if details.unroll.is_some() {
                    found.push(("unroll", Vec::new()));
                }
            }
            StmtKind::Reduce(_) | StmtKind::Gather(_) | StmtKind::Section(_) => {
                found.push(("barrier", Vec::new()))
            }
            StmtKind::GroupCopy(copy) => {
                found.push(("barrier", Vec::new()));
                found.push(("async_copy", Vec::new()));
                if copy.cp_async.is_some() {
                    found.push(("cp_async", Vec::new()));
                }
                if copy.prefetches {
                    found.push(("prefetch", Vec::new()));
                }
            }
            _ => {}
        }
    }
    let mut pending = program.roots();
    while let Some(id) = pending.pop() {
        let expr = program.expr(id);
        let operands = expr.kind.operands();
        // An index is a construct of its own.
        let of_operands = operands.iter().filter(|_| !expr.kind.has_indices());
        let of_operands = of_operands.map(|operand| program.ty(*operand));
        let types: Vec<Ty> = of_operands.chain([expr.ty]).collect();
        let name = match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Variable(_) => "",
            ExprKind::Vector(_) => "vector",
            ExprKind::Element(array, _) => match program.variable(*array).space {
                Storage::Private => "array",
                Storage::Constant(_) => "constant",
                _ => "",
            },
            ExprKind::Load(..) => "vload",
            ExprKind::Swizzle(..) => "swizzle",
            ExprKind::Unary(operator, _) => operator.texts().1,
            ExprKind::Binary(operator, ..) => operator.texts().1,
            ExprKind::Conditional(..) => "conditional",
            ExprKind::Convert(_) => "convert",
            ExprKind::Saturate(_) => "convert_sat",
            ExprKind::Reinterpret(_) => "reinterpret",
            ExprKind::Call(function, ..) => function.name(),
            ExprKind::Invoke(..) if program.calls_itself(id) => "recursion",
            ExprKind::Invoke(..) => "function",
            ExprKind::Item(_) => "id",
            ExprKind::Part(_) => "",
            ExprKind::SameAddress(_) => "pointer",
        };
        if types.iter().any(|ty| ty.is_vector()) {
            found.push(("vector", types.clone()));
        }
        found.push((name, types));
        pending.extend(operands);
    }
    if program.fixed_size {
        found.push(("reqd_work_group_size", Vec::new()));
    }
    found
}

fn of_shape(program: &Program, shape: &ObjectType, found: &mut Vec<Construct>) {
    match shape {
        ObjectType::Value(ty) => {
            found.push(("", vec![*ty]));
            if ty.is_vector() {
                found.push(("vector", vec![*ty]));
            }
        }
        ObjectType::Bits(scalar, _) => found.push(("bit_field", vec![Ty::scalar(*scalar)])),
        ObjectType::Array(element, _) => {
            let types = if let ObjectType::Value(ty) = **element { vec![ty] } else { Vec::new() };
            found.push(("array", types));
            of_shape(program, element, found);
        }
        ObjectType::Pointer(target, _) => {
            found.push(("pointer", Vec::new()));
            of_shape(program, target, found);
        }
        ObjectType::Record(id) => {
            let record = program.record(*id);
            found.push((if record.is_union { "union" } else { "structure" }, Vec::new()));
            for member in &record.members {
                of_shape(program, member, found);
            }
        }
    }
}

#[test]
fn what_is_avoided_is_nowhere() {
    let types = ["long", "ulong", "uint", "short", "uchar", "vec3", "vec2", "long4"];
    let pairs = ["abs.long", "any.long", "less.long", "add.int", "convert.char", "select.ulong"];
    let all = names().into_iter().chain(types).chain(pairs);
    let (mut made, mut refused) = (0, 0);
    for (number, entry) in (0..).zip(all) {
        let avoid: Avoid = entry.parse().expect("a feature");
        for (index, mode) in (0..14).zip(Mode::ALL.into_iter().cycle()) {
            let tokens = TokenRange::new(300, 900).expect("a range");
            // Few features are there only with sub-groups.
            let sub_groups = entry.starts_with("sub_group_");
            let target = match index {
                _ if sub_groups => Target::OpenCl30,
                0..7 if entry == "recursion" => Target::C,
                0..7 => Target::OpenCl20,
                _ => Target::Cuda,
            };
            let mode = match target {
                _ if sub_groups => Mode::Free,
                Target::C => [Mode::Basic, Mode::Vector][index as usize % 2],
                _ => mode,
            };
            let avoid = avoid.clone();
            let profile = Profile { mode, target, tokens, avoid, sub_groups, ..Profile::default() };
            let seed = number * 14 + index;
            let Ok(kernel) = generate(seed, &profile) else {
                refused += 1;
                continue;
            };
            made += 1;
            for (name, types) in constructs(&kernel.program) {
                let has = |ty: &Ty| profile.avoid.has(name, *ty);
                let is_there =
                    types.iter().any(has) || (types.is_empty() && profile.avoid.names(name));
                assert!(
                    !is_there,
                    "--avoid {entry} --mode {} --seed {seed}: {name} {types:?} in {}",
                    mode.name(),
                    kernel.source
                );
            }
        }
    }
    assert!(made > 800 && refused < made / 5, "{made} made, {refused} refused");
}

/// A quotient of `float` may be wrong by 2.5 units in OpenCL C, and `mad` by any in version 1.2.
#[test]
fn what_a_language_leaves_to_devices_is_not_there() {
    let count = |target: Target, name: &str, scalar: ScalarType| -> usize {
        let tokens = TokenRange::new(900, 3000).expect("a range");
        let profile =
            Profile { mode: Mode::Vector, target, tokens, doubles: true, ..Profile::default() };
        let kernels = (0..40).map(|seed| generate(seed, &profile).expect("a profile that fits"));
        let is_meant = |(found, types): &Construct| {
            *found == name && types.iter().any(|ty| ty.scalar == scalar)
        };
        kernels
            .map(|kernel| constructs(&kernel.program).iter().filter(|c| is_meant(c)).count())
            .sum()
    };
    for target in [Target::OpenCl12, Target::OpenCl20, Target::OpenCl30] {
        assert_eq!(count(target, "divide", ScalarType::Float), 0, "{target:?}");
        assert!(count(target, "divide", ScalarType::Double) > 0, "{target:?}");
        assert!(count(target, "multiply", ScalarType::Float) > 0, "{target:?}");
        let mads =
            count(target, "mad", ScalarType::Float) + count(target, "mad", ScalarType::Double);
        assert_eq!(mads > 0, target != Target::OpenCl12, "{target:?}");
    }
    assert!(count(Target::Cuda, "divide", ScalarType::Float) > 0);
}

/// Each name is that of something which kernels have: without it, the test above could not fail.
#[test]
fn most_features_occur() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..940 {
        let target = match seed {
            0..150 => Target::OpenCl12,
            150..350 => Target::OpenCl20,
            350..600 => Target::Cuda,
            600..750 => Target::Ptx,
            900.. => Target::C,
            _ => Target::OpenCl30,
        };
        let sub_groups = target == Target::OpenCl30;
        let mode = if target == Target::C { Mode::Basic } else { Profile::default().mode };
        let profile = Profile { mode, target, sub_groups, ..Profile::default() };
        let kernel = generate(seed, &profile).expect("a profile that fits");
        seen.extend(constructs(&kernel.program).into_iter().map(|(name, _)| name));
    }
    // These say how statements are arranged.
    let arrangements = ["exchange", "nest", "stencil", "tree"];
    let missing: Vec<_> = names()
        .into_iter()
        .filter(|name| !seen.contains(name) && !arrangements.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
