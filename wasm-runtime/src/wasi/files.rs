//! The guest's descriptors over the [`Tree`].
//!
//! Numbers are small and dense as POSIX has it: the lowest free one is given. The
//! preopens come first and in the same order when the start image is made and when
//! it runs, because the guest's libc remembers them in its memory.

use super::errno::{Errno, Result};
use super::tree::{Content, NodeId, NodeKind, Place, Tree};

/// `oflags`, `fdflags` and the rights that we look at (preview 1).
pub(crate) mod flags {
    pub(crate) const CREATE: u16 = 1;
    pub(crate) const DIRECTORY: u16 = 2;
    pub(crate) const EXCLUSIVE: u16 = 4;
    pub(crate) const TRUNCATE: u16 = 8;
    pub(crate) const APPEND: u16 = 1;
    pub(crate) const RIGHT_READ: u64 = 1 << 1;
    pub(crate) const RIGHT_WRITE: u64 = 1 << 6;
}

/// What a descriptor is.
#[derive(Debug, Clone)]
pub(crate) enum Descriptor {
    Stdin,
    Stdout,
    Stderr,
    /// A folder; `preopen` is the path under which the guest's libc knows it.
    Folder {
        node: NodeId,
        preopen: Option<&'static str>,
        /// Entries as of the last `readdir` from the start.
        listing: Vec<(String, NodeId)>,
    },
    File {
        node: NodeId,
        offset: u64,
        append: bool,
        read: bool,
        write: bool,
    },
}

/// How `path_open` is asked to open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenFlags {
    pub(crate) oflags: u16,
    pub(crate) fdflags: u16,
    pub(crate) rights: u64,
}

/// The descriptor table.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) tree: Tree,
    table: Vec<Option<Descriptor>>,
    limit: u32,
    open: u32,
    refused: bool,
}

impl Files {
    /// stdin, stdout, stderr and the preopens, in order; then at most `limit` more.
    pub(crate) fn new(tree: Tree, preopens: &[(&'static str, NodeId)], limit: u32) -> Self {
        let standard = [Descriptor::Stdin, Descriptor::Stdout, Descriptor::Stderr];
        let folders = preopens.iter().map(|&(path, node)| Descriptor::Folder {
            node,
            preopen: Some(path),
            listing: Vec::new(),
        });
        let table = standard.into_iter().chain(folders).map(Some).collect();
        Self { tree, table, limit, open: 0, refused: false }
    }

    /// Whether a file was not opened because too many were open.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    pub(crate) fn get(&self, fd: u32) -> Result<&Descriptor> {
        self.table.get(fd as usize).and_then(Option::as_ref).ok_or(Errno::BADF)
    }

    pub(crate) fn get_mut(&mut self, fd: u32) -> Result<&mut Descriptor> {
        self.table.get_mut(fd as usize).and_then(Option::as_mut).ok_or(Errno::BADF)
    }

    pub(crate) fn folder(&self, fd: u32) -> Result<NodeId> {
        match self.get(fd)? {
            Descriptor::Folder { node, .. } => Ok(*node),
            _ => Err(Errno::NOTDIR),
        }
    }

    /// The node behind a file or folder descriptor.
    pub(crate) fn node(&self, fd: u32) -> Result<Option<NodeId>> {
        Ok(match self.get(fd)? {
            Descriptor::Folder { node, .. } | Descriptor::File { node, .. } => Some(*node),
            _ => None,
        })
    }

    fn give(&mut self, descriptor: Descriptor) -> Result<u32> {
        if self.open >= self.limit {
            self.refused = true;
            return Err(Errno::MFILE);
        }
        self.open += 1;
        let free = self.table.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.table.push(None);
            self.table.len() - 1
        });
        self.table[index] = Some(descriptor);
        u32::try_from(index).map_err(|_| Errno::MFILE)
    }

    /// Opens a file or folder.
    pub(crate) fn open(&mut self, folder: u32, path: &str, how: OpenFlags) -> Result<u32> {
        let from = self.folder(folder)?;
        let wants = |flag| how.oflags & flag != 0;
        let node = match self.tree.place(from, path)? {
            Place::Entry { folder, name, must_be_folder } => match self.tree.find(from, path) {
                Ok(_) if wants(flags::CREATE) && wants(flags::EXCLUSIVE) => {
                    return Err(Errno::EXIST);
                }
                Ok(node) => node,
                Err(Errno::NOENT) if wants(flags::CREATE) && !wants(flags::DIRECTORY) => {
                    if must_be_folder {
                        return Err(Errno::ISDIR);
                    }
                    // Before the file exists, so that a refusal leaves none behind.
                    if self.open >= self.limit {
                        self.refused = true;
                        return Err(Errno::MFILE);
                    }
                    self.tree.create(folder, name)?
                }
                Err(error) => return Err(error),
            },
            Place::Itself(node) => node,
        };
        let write = how.rights & flags::RIGHT_WRITE != 0;
        let descriptor = match self.tree.kind(node)? {
            NodeKind::Folder if write || wants(flags::CREATE) => return Err(Errno::ISDIR),
            NodeKind::Folder => Descriptor::Folder { node, preopen: None, listing: Vec::new() },
            NodeKind::File if wants(flags::DIRECTORY) => return Err(Errno::NOTDIR),
            NodeKind::File => {
                if (write || wants(flags::TRUNCATE)) && !self.tree.writable(node)? {
                    return Err(Errno::ROFS);
                }
                Descriptor::File {
                    node,
                    offset: 0,
                    append: how.fdflags & flags::APPEND != 0,
                    read: how.rights & flags::RIGHT_READ != 0,
                    write,
                }
            }
        };
        let fd = self.give(descriptor)?;
        self.tree.hold(node)?;
        if wants(flags::TRUNCATE) {
            self.tree.resize(node, 0)?;
        }
        Ok(fd)
    }

    /// Closes any descriptor, the standard ones and preopens too.
    pub(crate) fn close(&mut self, fd: u32) -> Result<()> {
        let slot = self.table.get_mut(fd as usize).ok_or(Errno::BADF)?;
        match slot.take().ok_or(Errno::BADF)? {
            Descriptor::Folder { preopen: Some(_), .. }
            | Descriptor::Stdin
            | Descriptor::Stdout
            | Descriptor::Stderr => Ok(()),
            Descriptor::Folder { node, .. } | Descriptor::File { node, .. } => {
                self.open = self.open.saturating_sub(1);
                self.tree.release(node)
            }
        }
    }

    /// Reads into `buffer` at `offset`.
    pub(crate) fn read_at(&self, node: NodeId, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let from = |bytes: &[u8]| {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
            (start, buffer.len().min(bytes.len() - start))
        };
        match self.tree.content(node)? {
            Content::Host(file) => file.read_at(buffer, offset).map_err(|_| Errno::IO),
            Content::Bytes(bytes) => {
                let (start, n) = from(bytes);
                buffer[..n].copy_from_slice(&bytes[start..start + n]);
                Ok(n)
            }
            Content::Scratch(bytes) => {
                let (start, n) = from(bytes);
                buffer[..n].copy_from_slice(&bytes[start..start + n]);
                Ok(n)
            }
        }
    }

    /// `lseek`: the new offset.
    pub(crate) fn seek(&mut self, fd: u32, delta: i64, whence: u8) -> Result<u64> {
        let Descriptor::File { node, offset, .. } = self.get(fd)? else {
            return Err(Errno::SPIPE);
        };
        let base = match whence {
            0 => 0,
            1 => *offset,
            2 => self.tree.content(*node)?.length(),
            _ => return Err(Errno::INVAL),
        };
        let to = base.checked_add_signed(delta).ok_or(Errno::INVAL)?;
        if let Descriptor::File { offset, .. } = self.get_mut(fd)? {
            *offset = to;
        }
        Ok(to)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::ROOT;
    use super::*;

    const READ: OpenFlags = OpenFlags { oflags: 0, fdflags: 0, rights: flags::RIGHT_READ };
    const WRITE: OpenFlags =
        OpenFlags { oflags: flags::CREATE, fdflags: 0, rights: flags::RIGHT_WRITE };

    fn files(limit: u32) -> Files {
        let mut tree = Tree::new(100, 10);
        let input = tree.host_folder("/in", false).unwrap();
        tree.host_file(input, "a", Content::Bytes(std::sync::Arc::from(*b"abcdef"))).unwrap();
        tree.host_folder("/work", true).unwrap();
        Files::new(tree, &[("/", ROOT)], limit)
    }

    #[test]
    fn the_lowest_free_number_is_given() {
        let mut files = files(10);
        assert_eq!(files.open(3, "in/a", READ), Ok(4));
        assert_eq!(files.open(3, "in/a", READ), Ok(5));
        files.close(4).unwrap();
        assert_eq!(files.open(3, "in/a", READ), Ok(4));
        assert_eq!(files.close(9), Err(Errno::BADF));
        files.close(1).unwrap();
        assert_eq!(files.open(3, "in/a", READ), Ok(1));
    }

    #[test]
    fn open_files_are_limited_and_a_refused_one_is_not_created() {
        let mut files = files(2);
        files.open(3, "in/a", READ).unwrap();
        let second = files.open(3, "work/b", WRITE).unwrap();
        assert!(!files.refused());
        assert_eq!(files.open(3, "work/c", WRITE), Err(Errno::MFILE));
        assert!(files.refused());
        files.close(second).unwrap();
        assert_eq!(files.open(3, "work/c", READ), Err(Errno::NOENT));
        assert!(files.open(3, "work/c", WRITE).is_ok());
    }

    #[test]
    fn truncating_a_read_only_file_is_refused_without_the_write_right() {
        // CVE-2026-47261: O_TRUNC went past the missing write permission.
        let mut files = files(5);
        let how = OpenFlags { oflags: flags::TRUNCATE, ..READ };
        assert_eq!(files.open(3, "in/a", how), Err(Errno::ROFS));
        assert_eq!(files.tree.content(files.tree.find(ROOT, "in/a").unwrap()).unwrap().length(), 6);
    }

    #[test]
    fn seeking_before_the_start_is_refused() {
        let mut files = files(5);
        let fd = files.open(3, "in/a", READ).unwrap();
        assert_eq!(files.seek(fd, -1, 2), Ok(5));
        assert_eq!(files.seek(fd, -6, 1), Err(Errno::INVAL));
        assert_eq!(files.seek(fd, i64::MAX, 0), Ok(i64::MAX as u64));
        let node = files.node(fd).unwrap().unwrap();
        assert_eq!(files.read_at(node, u64::MAX, &mut [0; 4]), Ok(0));
        assert_eq!(files.seek(1, 0, 0), Err(Errno::SPIPE));
    }
}
