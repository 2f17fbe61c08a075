//! Compiler passes of LLVM: the runs of them that `-opt-bisect-limit` lists, and their names in `-passes`.

/// A run of a compiler pass, as `-opt-bisect-limit` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BisectedPass {
    /// Its number; the first is 1.
    pub number: u64,
    /// The name of its class, or a description in the back end.
    pub pass: String,
    /// The function that it runs on, or the one that was named last where it runs on a loop.
    pub function: Option<String>,
}

/// Reads the runs of passes in the output of a compiler.
pub(super) fn runs(output: &str) -> Vec<BisectedPass> {
    let mut runs: Vec<BisectedPass> = Vec::new();
    for line in output.lines() {
        let Some((_, rest)) = line.split_once("BISECT: running pass (") else { continue };
        let Some((number, rest)) = rest.split_once(") ") else { continue };
        let (Ok(number), Some((pass, unit))) = (number.parse(), rest.split_once(" on ")) else {
            continue;
        };
        let before = || runs.last().and_then(|run| run.function.clone());
        let function = if is_loop(unit) { before() } else { function_of(unit) };
        runs.push(BisectedPass { number, pass: pass.to_owned(), function });
    }
    runs
}

fn is_loop(unit: &str) -> bool {
    ["Loop at", "loop", "<unnamed loop>"].iter().any(|start| unit.starts_with(start))
        || unit.starts_with('%')
}

/// The function in `f`, `(f)` or `function (f)`; none in `[module]` and `module "x"`.
fn function_of(unit: &str) -> Option<String> {
    let name = unit.strip_prefix("function ").unwrap_or(unit).trim();
    let name = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')).unwrap_or(name);
    let is_name = !name.is_empty() && !name.contains([' ', '[', '"', ',', '<']);
    is_name.then(|| name.to_owned())
}

/// Names in `-passes` that do not follow from those of the classes.
const IRREGULAR: [(&str, &str); 21] = [
    ("ArgumentPromotion", "argpromotion"),
    ("ConstantMerge", "constmerge"),
    ("CorrelatedValuePropagation", "correlated-propagation"),
    ("DeadArgumentElimination", "deadargelim"),
    ("EliminateAvailableExternally", "elim-avail-extern"),
    ("ForceFunctionAttrs", "forceattrs"),
    ("HotColdSplitting", "hotcoldsplit"),
    ("IndVarSimplify", "indvars"),
    ("InferFunctionAttrs", "inferattrs"),
    ("Inliner", "inline"),
    ("LoopFullUnroll", "loop-unroll-full"),
    ("LoopFuse", "loop-fusion"),
    ("LoopIdiomRecognize", "loop-idiom"),
    ("LoopLoadElimination", "loop-load-elim"),
    ("LoopStrengthReduce", "loop-reduce"),
    ("MergeFunctions", "mergefunc"),
    ("MergedLoadStoreMotion", "mldst-motion"),
    ("PostOrderFunctionAttrs", "function-attrs"),
    ("Promote", "mem2reg"),
    ("ReversePostOrderFunctionAttrs", "rpo-function-attrs"),
    ("StraightLineStrengthReduce", "slsr"),
];

/// The names that `-passes` may have for a class of passes, the most probable first. `pipeline` is that of the compiler, as it prints it, or
/// empty: there, a pass has its options.
pub(super) fn names_of(class: &str, pipeline: &str) -> Vec<String> {
    let class = class.strip_suffix("Pass").unwrap_or(class);
    let known = IRREGULAR.iter().find(|(of, _)| *of == class).map(|(_, name)| *name);
    let is_it = |name: &str| match known {
        Some(known) => dense(name) == dense(known),
        None => dense(name) == dense(class),
    };
    let mut listed: Vec<String> = Vec::new();
    for (manager, pass) in passes_in(pipeline) {
        if is_it(pass.split(['<', '(']).next().unwrap_or_default()) {
            let needs_manager = manager.starts_with("loop-mssa");
            let text = if needs_manager { format!("{manager}({pass})") } else { pass.to_owned() };
            if !listed.contains(&text) {
                listed.push(text);
            }
        }
    }
    let (with_options, plain): (Vec<String>, Vec<String>) =
        listed.into_iter().partition(|text| text.contains('<') && !text.ends_with("<>"));
    let guessed = match known {
        Some(known) => vec![known.to_owned()],
        None => vec![words_of(class), class.to_lowercase()],
    };
    let mut names: Vec<String> = Vec::new();
    let plain = if plain.is_empty() && with_options.is_empty() { guessed } else { plain };
    for name in plain.into_iter().chain(with_options) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The passes of a pipeline, each with the manager that it stands in.
fn passes_in(pipeline: &str) -> Vec<(&str, &str)> {
    let mut passes = Vec::new();
    let mut managers: Vec<&str> = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (at, sign) in pipeline.char_indices().chain([(pipeline.trim_end().len(), ',')]) {
        match sign {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => {
                managers.push(&pipeline[start..at]);
                start = at + 1;
            }
            ',' | ')' if depth == 0 && at >= start => {
                if at > start {
                    passes
                        .push((managers.last().copied().unwrap_or_default(), &pipeline[start..at]));
                }
                if sign == ')' {
                    managers.pop();
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    passes
}

/// A name without what its spellings differ in.
fn dense(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// `loop-vectorize` for `LoopVectorize`, and `early-cse` for `EarlyCSE`.
fn words_of(class: &str) -> String {
    let signs: Vec<char> = class.chars().collect();
    let mut words = String::new();
    for (at, sign) in signs.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| signs[before]);
        let begins = sign.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || signs.get(at + 1).is_some_and(char::is_ascii_lowercase)
            });
        if begins {
            words.push('-');
        }
        words.push(sign.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_name_the_pass_and_the_function() {
        let output = "x\nBISECT: running pass (1) Annotation2MetadataPass on [module]\n\
            BISECT: running pass (2) LCSSAPass on f\n\
            BISECT: running pass (3) LICMPass on Loop at depth 1 containing: %9<header>,%16\n\
            BISECT: running pass (4) InlinerPass on (g)\nBISECT: NOT running pass (5) X on f\n\
            BISECT: running pass (6) X86 LEA Fixup on function (h)\n";
        let found = runs(output);
        let all: Vec<_> =
            found.iter().map(|run| (run.number, &*run.pass, run.function.as_deref())).collect();
        let expected = [
            (1, "Annotation2MetadataPass", None),
            (2, "LCSSAPass", Some("f")),
            (3, "LICMPass", Some("f")),
            (4, "InlinerPass", Some("g")),
            (6, "X86 LEA Fixup", Some("h")),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn classes_have_names_with_the_options_of_the_pipeline() {
        let pipeline = "annotation2metadata,function<eager-inv>(simplifycfg<keep;x>,loop-mssa(licm<a>,loop-rotate),\
                        loop(loop-idiom,indvars)),cgscc(devirt<4>(inline<only>,inline)),simplifycfg<keep;y>\n";
        for (class, expected) in [
            ("SimplifyCFGPass", &["simplifycfg<keep;x>", "simplifycfg<keep;y>"][..]),
            ("LICMPass", &["loop-mssa(licm<a>)"]),
            ("LoopIdiomRecognizePass", &["loop-idiom"]),
            ("InlinerPass", &["inline", "inline<only>"]),
            ("Annotation2MetadataPass", &["annotation2metadata"]),
            ("LoopVectorizePass", &["loop-vectorize", "loopvectorize"]),
            ("EarlyCSEPass", &["early-cse", "earlycse"]),
            ("SROA", &["sroa"]),
        ] {
            assert_eq!(names_of(class, pipeline), expected, "{class}");
        }
        assert_eq!(names_of("InstCombinePass", ""), ["inst-combine", "instcombine"]);
    }
}
