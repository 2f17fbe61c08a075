//! The launch comment of CLsmith kernels: how many work-items a kernel is run with.

use std::ops::Range;

/// Global and local sizes as the first line of a kernel gives them, for example
/// `// --atomics 68 -g 30,36,3 -l 1,2,3`. `--elements 4096` gives the length of buffers whose content the comment does not describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Global size, one number per dimension.
    pub global: Vec<u64>,
    /// Work-group size, one number per dimension.
    pub local: Vec<u64>,
    /// The number of elements of each buffer; as many as work-items where it is not given.
    pub elements: Option<u64>,
    /// Bytes of the whole comment, without its line break.
    pub comment: Range<usize>,
    /// Bytes of the numbers after `-g`.
    pub global_range: Range<usize>,
    /// Bytes of the numbers after `-l`.
    pub local_range: Range<usize>,
}

impl Launch {
    /// Finds a launch comment in the first line of a file; `None` where there is none or it is
    /// malformed.
    #[must_use]
    pub fn find(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
        let line = bytes[..end].trim_ascii_end();
        if !line.starts_with(b"//") {
            return None;
        }
        let (global, global_range) = sizes_after(line, b"-g")?;
        let (local, local_range) = sizes_after(line, b"-l")?;
        let elements = sizes_after(line, b"--elements").and_then(|(sizes, _)| match sizes[..] {
            [elements] => Some(elements),
            _ => None,
        });
        (global.len() == local.len()).then_some(Self {
            global,
            local,
            elements,
            comment: 0..line.len(),
            global_range,
            local_range,
        })
    }

    /// The number of work-items in all.
    #[must_use]
    pub fn work_items(&self) -> u64 {
        self.global.iter().fold(1, |product, &size| product.saturating_mul(size))
    }
}

fn sizes_after(line: &[u8], flag: &[u8]) -> Option<(Vec<u64>, Range<usize>)> {
    let words = line.split(|byte| byte.is_ascii_whitespace()).scan(0, |at, word| {
        let start = *at;
        *at += word.len() + 1;
        Some((start, word))
    });
    let (start, word) =
        words.skip_while(|(_, word)| *word != flag).skip(1).find(|(_, word)| !word.is_empty())?;
    let sizes: Option<Vec<u64>> =
        std::str::from_utf8(word).ok()?.split(',').map(|number| number.parse().ok()).collect();
    let sizes = sizes.filter(|sizes| sizes.len() <= 3 && !sizes.contains(&0))?;
    Some((sizes, start..start + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_sizes_and_where_they_stand() {
        let source = b"// --atomics 68 ---emi -g 30,36,3 -l 1,2,3\r\n__kernel void entry(){}";
        let launch = Launch::find(source).unwrap();
        assert_eq!((launch.work_items(), &launch.local[..]), (3240, &[1, 2, 3][..]));
        assert_eq!(&source[launch.global_range], b"30,36,3");
        assert_eq!(&source[launch.local_range], b"1,2,3");
        assert_eq!(launch.elements, None);
        assert_eq!(Launch::find(b"// -g 4 -l 2 --elements 64").unwrap().elements, Some(64));
        assert_eq!(Launch::find(b"// -g 4 -l 2 --elements 1,2").unwrap().elements, None);
    }

    #[test]
    fn malformed_comments_are_none() {
        for line in ["", "// -g 1", "// -g 1,2 -l 1", "// -g 0 -l 1", "// -g x -l 1", "-g 1 -l 1"] {
            assert_eq!(Launch::find(line.as_bytes()), None, "{line}");
        }
    }
}
