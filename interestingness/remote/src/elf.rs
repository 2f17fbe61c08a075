//! The libraries that a program is linked to, as its file says. No program is started for that.
//!
//! Only 64-bit programs of little-endian machines are read. For everything else, and for damaged files, there are none.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const LOADED: u32 = 1;
const DYNAMIC: u32 = 2;
const NEEDED: u64 = 1;
const STRINGS: u64 = 5;
const OLD_PATH: u64 = 15;
const PATH: u64 = 29;

/// Folders of libraries, where a program names none.
const FOLDERS: [&str; 8] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];

/// The libraries of a program, and those of the libraries, as far as they are found.
pub(crate) fn libraries(program: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut pending = vec![program.to_owned()];
    while let Some(path) = pending.pop() {
        let Some(links) = Links::of(&path) else { continue };
        for library in links.needed.iter().filter_map(|name| links.find(name)) {
            if found.len() < 100 && found.insert(library.clone()) {
                pending.push(library);
            }
        }
    }
    found
}

/// The names of the libraries that a file needs, and the folders in which they are looked for first.
#[derive(Debug, Default)]
struct Links {
    needed: Vec<String>,
    folders: Vec<PathBuf>,
}

/// A part of the file that is loaded to an address.
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    bytes: u64,
}

impl Links {
    fn of(path: &Path) -> Option<Self> {
        // Links of distributions lead from `clang` to the folder with its libraries.
        let path = path.canonicalize().ok()?;
        let mut file = File::open(&path).ok()?;
        let header = read(&mut file, 0, 64)?;
        if header.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let (table, size, count) =
            (u64_at(&header, 32)?, u16_at(&header, 54)?, u16_at(&header, 56)?);
        let table = read(&mut file, table, u64::from(size) * u64::from(count))?;
        let segments: Vec<Segment> = table
            .chunks_exact(usize::from(size).max(56))
            .filter_map(|entry| {
                Some(Segment {
                    kind: u32_at(entry, 0)?,
                    offset: u64_at(entry, 8)?,
                    address: u64_at(entry, 16)?,
                    bytes: u64_at(entry, 32)?,
                })
            })
            .collect();
        let dynamic = segments.iter().find(|segment| segment.kind == DYNAMIC)?;
        let dynamic = read(&mut file, dynamic.offset, dynamic.bytes)?;
        let entries: Vec<(u64, u64)> = dynamic
            .chunks_exact(16)
            .filter_map(|entry| Some((u64_at(entry, 0)?, u64_at(entry, 8)?)))
            .collect();
        let address = entries.iter().find(|(tag, _)| *tag == STRINGS)?.1;
        let holds = |segment: &&Segment| {
            segment.kind == LOADED
                && (segment.address..segment.address.saturating_add(segment.bytes))
                    .contains(&address)
        };
        let segment = segments.iter().find(holds)?;
        let start = segment.offset.checked_add(address - segment.address)?;
        let strings = read(&mut file, start, segment.bytes - (address - segment.address))?;
        let mut links = Self::default();
        for (tag, at) in entries {
            let Some(text) = string_at(&strings, at) else { continue };
            match tag {
                NEEDED => links.needed.push(text),
                PATH | OLD_PATH => links.folders.extend(folders(&text, &path)),
                _ => {}
            }
        }
        Some(links)
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(PathBuf::from(name)).filter(|path| path.is_file());
        }
        let folders = self.folders.iter().map(PathBuf::as_path).chain(FOLDERS.map(Path::new));
        folders.map(|folder| folder.join(name)).find(|path| path.is_file())
    }
}

fn folders(text: &str, program: &Path) -> Vec<PathBuf> {
    let origin = program.parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
    let replaced = |part: &str| part.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
    text.split(':').map(|part| PathBuf::from(replaced(part))).collect()
}

fn read(file: &mut File, offset: u64, bytes: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut read = Vec::new();
    file.take(bytes.min(4 << 20)).read_to_end(&mut read).ok()?;
    Some(read)
}

fn string_at(strings: &[u8], at: u64) -> Option<String> {
    let rest = strings.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    String::from_utf8(rest[..end].to_vec()).ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// This test program is linked to the C library.
    #[test]
    fn the_libraries_of_a_program_are_found() {
        let found = libraries(&std::env::current_exe().unwrap());
        let is_c = |path: &PathBuf| path.to_string_lossy().contains("libc.so");
        assert!(found.iter().any(is_c), "{found:?}");
    }

    #[test]
    fn damaged_programs_have_none() {
        let folder = tempfile::tempdir().unwrap();
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let whole = &whole[..whole.len().min(1 << 16)];
        let path = folder.path().join("program");
        let mut bytes = whole.to_vec();
        for at in 0..bytes.len().min(1200) {
            // Each byte of the headers in turn is another, and the file ends early.
            bytes[at] ^= 0xff;
            std::fs::write(&path, &bytes).unwrap();
            libraries(&path);
            bytes[at] ^= 0xff;
        }
        for length in [0, 4, 16, 63, 64, 100, 500] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(libraries(&path).is_empty());
        }
    }
}
