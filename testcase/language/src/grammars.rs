//! The grammars of all languages, each loaded when it is first needed.

use std::fmt;
use std::sync::{LazyLock, OnceLock};

use clreduce_testcase::Grammar;

use crate::kind::GrammarNames;

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

/// The grammar of a language.
pub(crate) fn grammar(of: Grammar) -> &'static LoadedGrammar {
    // Fifteen of the languages are read by the words of their own authors; the list is in the order of the enumeration.
    static LOADED: [LazyLock<LoadedGrammar>; 17] = [
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_c::LANGUAGE.into())),
        // The grammar of CUDA is that of C++ and some words that no program in C++ has.
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_cuda::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_python::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_rust::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_go::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_javascript::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_java::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_fortran::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_ada::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_d::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_llvm::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_mlir::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_json::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_glsl::LANGUAGE_GLSL.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_wgsl_bevy::LANGUAGE.into())),
        LazyLock::new(|| LoadedGrammar::new(tree_sitter_vhdl::LANGUAGE.into())),
    ];
    &LOADED[of as usize]
}
