//! The grammars of all languages, each loaded when it is first needed.

use std::fmt;
use std::sync::OnceLock;

use clreduce_testcase::Grammar;

use crate::kind::GrammarNames;
use crate::loaded::loaded;

/// A grammar, with what its numbers stand for.
pub(crate) struct LoadedGrammar {
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) names: GrammarNames,
    /// By state of the parser, the tokens that may follow, in ascending order.
    accepted: Vec<OnceLock<Box<[u16]>>>,
}

impl fmt::Debug for LoadedGrammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedGrammar")
            .field("states", &self.accepted.len())
            .finish_non_exhaustive()
    }
}

impl LoadedGrammar {
    fn new(grammar: tree_sitter::Language) -> Self {
        let states = grammar.parse_state_count();
        let accepted = (0..states).map(|_| OnceLock::new()).collect();
        Self { names: GrammarNames::of(&grammar), grammar, accepted }
    }

    /// The tokens that may follow in a state of the parser, in ascending order.
    pub(crate) fn accepted(&self, state: u16) -> &[u16] {
        let Some(known) = self.accepted.get(usize::from(state)) else { return &[] };
        known.get_or_init(|| {
            let symbols = self.grammar.lookahead_iterator(state).into_iter().flatten();
            let mut tokens: Vec<u16> = symbols.collect();
            tokens.sort_unstable();
            tokens.into()
        })
    }

    /// The state after a node in a state of the parser; `None` where it cannot stand.
    pub(crate) fn after(&self, state: u16, symbol: u16) -> Option<u16> {
        let is_state = usize::from(state) < self.accepted.len();
        is_state.then(|| self.grammar.next_state(state, symbol)).filter(|&state| state != 0)
    }
}

/// A grammar, which is loaded when it is asked for the first time; `None` for one that no file was loaded for.
pub(crate) fn grammar(of: Grammar) -> Option<&'static LoadedGrammar> {
    static LOADED: [OnceLock<LoadedGrammar>; Grammar::COUNT] =
        [const { OnceLock::new() }; Grammar::COUNT];
    let language = language(of)?;
    Some(LOADED[of as usize].get_or_init(|| LoadedGrammar::new(language)))
}

/// Returns true for a grammar whose scanner looks up each character in a table of 256, and reads behind it for others.
pub(crate) fn reads_ascii_only(of: Grammar) -> bool {
    matches!(of, Grammar::D)
}

fn language(of: Grammar) -> Option<tree_sitter::Language> {
    Some(match of {
        Grammar::Loaded => return loaded(),
        Grammar::C => tree_sitter_c::LANGUAGE.into(),
        // The grammar of CUDA is that of C++ and some words that no program in C++ has.
        Grammar::Cpp => tree_sitter_cuda::LANGUAGE.into(),
        Grammar::Python => tree_sitter_python::LANGUAGE.into(),
        Grammar::Rust => tree_sitter_rust::LANGUAGE.into(),
        Grammar::Go => tree_sitter_go::LANGUAGE.into(),
        Grammar::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Grammar::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Grammar::Java => tree_sitter_java::LANGUAGE.into(),
        Grammar::Fortran => tree_sitter_fortran::LANGUAGE.into(),
        Grammar::Ada => tree_sitter_ada::LANGUAGE.into(),
        Grammar::D => tree_sitter_d::LANGUAGE.into(),
        Grammar::Llvm => tree_sitter_llvm::LANGUAGE.into(),
        Grammar::Mlir => tree_sitter_mlir::LANGUAGE.into(),
        Grammar::Json => tree_sitter_json::LANGUAGE.into(),
        Grammar::Glsl => tree_sitter_glsl::LANGUAGE_GLSL.into(),
        Grammar::Wgsl => tree_sitter_wgsl_bevy::LANGUAGE.into(),
        Grammar::Vhdl => tree_sitter_vhdl::LANGUAGE.into(),
    })
}
