//! A test case with views that are computed when first asked for and shared from then on.

use std::sync::{Arc, OnceLock};

use clreduce_language::{Accesses, Aggregates, Entities, Flow, Symbols, SyntaxTree, Types, Uses};
use clreduce_testcase::{Clues, Language, TestCase, Token};

/// A test case as passes see it. Views are computed lazily and at most once.
#[derive(Debug)]
pub struct Snapshot {
    case: TestCase,
    files: Vec<FileViews>,
    clues: Arc<Clues>,
}

#[derive(Debug, Default)]
struct FileViews {
    tokens: OnceLock<Vec<Token>>,
    tree: OnceLock<SyntaxTree>,
    symbols: OnceLock<Symbols>,
    types: OnceLock<Types>,
    uses: OnceLock<Uses>,
    flow: OnceLock<Flow>,
    aggregates: OnceLock<Aggregates>,
    accesses: OnceLock<Accesses>,
    entities: OnceLock<Entities>,
}

impl Snapshot {
    /// A snapshot of a test case.
    #[must_use]
    pub fn new(case: TestCase, language: Language) -> Self {
        let files = case.files().iter().map(|_| FileViews::default()).collect();
        Self { case: case.in_language(Some(language)), files, clues: Arc::default() }
    }

    /// The snapshot of an original with clues about it. Their positions are those of the original, so that no other
    /// snapshot has any.
    #[must_use]
    pub fn with_clues(self, clues: Arc<Clues>) -> Self {
        Self { clues, ..self }
    }

    /// The clues about the original, if this is its snapshot.
    #[must_use]
    pub fn clues(&self) -> &Clues {
        &self.clues
    }

    /// The files themselves.
    #[must_use]
    pub fn case(&self) -> &TestCase {
        &self.case
    }

    /// The language they are written in.
    #[must_use]
    pub fn language(&self) -> Language {
        self.case.language()
    }

    /// Number of files.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The bytes of one file.
    #[must_use]
    pub fn bytes(&self, file: usize) -> &[u8] {
        &self.case.files()[file].bytes
    }

    /// The tokens of one file, without comments and white space.
    #[must_use]
    pub fn tokens(&self, file: usize) -> &[Token] {
        self.files[file]
            .tokens
            .get_or_init(|| self.language().lexer().tokens(self.bytes(file)).collect())
    }

    /// The syntax tree of one file; empty for a language without a grammar.
    #[must_use]
    pub fn tree(&self, file: usize) -> &SyntaxTree {
        self.files[file].tree.get_or_init(|| SyntaxTree::parse(self.bytes(file), self.language()))
    }

    /// The symbols of one file.
    #[must_use]
    pub fn symbols(&self, file: usize) -> &Symbols {
        self.files[file].symbols.get_or_init(|| Symbols::new(self.bytes(file), self.tree(file)))
    }

    /// The uses of the symbols of one file, and what each does.
    #[must_use]
    pub fn uses(&self, file: usize) -> &Uses {
        let (tree, symbols) = (self.tree(file), self.symbols(file));
        self.files[file].uses.get_or_init(|| Uses::new(tree, symbols))
    }

    /// The types of the expressions of one file.
    #[must_use]
    pub fn types(&self, file: usize) -> &Types {
        self.files[file]
            .types
            .get_or_init(|| Types::new(self.bytes(file), self.tree(file), self.symbols(file)))
    }

    /// The flow of values in one file, which says what types must change together.
    #[must_use]
    pub fn flow(&self, file: usize) -> &Flow {
        let (bytes, tree, symbols) = (self.bytes(file), self.tree(file), self.symbols(file));
        self.files[file].flow.get_or_init(|| Flow::new(bytes, tree, symbols, self.types(file)))
    }

    /// The structures and unions of one file.
    #[must_use]
    pub fn aggregates(&self, file: usize) -> &Aggregates {
        self.files[file]
            .aggregates
            .get_or_init(|| Aggregates::new(self.bytes(file), self.tree(file), self.symbols(file)))
    }

    /// The entities of one file in C++: namespaces, classes, members, functions.
    #[must_use]
    pub fn entities(&self, file: usize) -> &Entities {
        self.files[file].entities.get_or_init(|| Entities::new(self.bytes(file), self.tree(file)))
    }

    /// The accesses to members of structures and unions of one file.
    #[must_use]
    pub fn accesses(&self, file: usize) -> &Accesses {
        let (types, aggregates) = (self.types(file), self.aggregates(file));
        self.files[file]
            .accesses
            .get_or_init(|| Accesses::new(self.bytes(file), self.tree(file), types, aggregates))
    }
}
