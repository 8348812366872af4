//! The guest's folders: a tree that we own, with no way out.
//!
//! Nodes are read-only files that the host opened before, read-only bytes, scratch
//! files in memory, and folders. A path is a walk from a preopened folder; `..`
//! stops at it. There are no links, so a walk always ends.

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use super::content::Content;
use super::errno::{Errno, Result};
use super::nodes::Nodes;
use super::quota::Quota;

/// The longest name of one file or folder, in bytes.
const LONGEST_NAME: usize = 255;
/// The deepest folder.
const DEEPEST: usize = 64;

/// A place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(super) u32);

impl NodeId {
    /// A number that the guest may see as the inode.
    pub(crate) fn inode(self) -> u64 {
        u64::from(self.0) + 1
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Folder { children: BTreeMap<String, NodeId>, parent: NodeId, writable: bool },
    File(Content),
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    kind: Kind,
    /// Open descriptors, plus one while it has a name; not counted of shared nodes.
    holds: u32,
}

/// What a node is, for `stat` and `readdir`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Folder,
    File,
}

/// Where a path leads: the folder that holds (or would hold) it and its name there,
/// or a folder itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Itself(NodeId),
    Entry { folder: NodeId, name: &'a str, must_be_folder: bool },
}

/// The tree, with its quotas. A clone shares the nodes until one of the two changes one.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    nodes: Nodes,
    scratch: Quota,
    inodes: Quota,
}

/// The root of every tree.
pub(crate) const ROOT: NodeId = NodeId(0);

impl Tree {
    /// An empty read-only root.
    pub(crate) fn new(scratch_bytes: u64, scratch_files: u32) -> Self {
        let root = Node {
            kind: Kind::Folder { children: BTreeMap::new(), parent: ROOT, writable: false },
            holds: 1,
        };
        let mut nodes = Nodes::default();
        // The first node, so it is `ROOT`; only the last number could fail.
        let _ = nodes.insert(root);
        Self {
            nodes,
            scratch: Quota::new(scratch_bytes),
            inodes: Quota::new(u64::from(scratch_files)),
        }
    }

    /// Host side: what is there now is shared by every clone from now on.
    pub(crate) fn freeze(&mut self) {
        self.nodes.freeze();
    }

    /// The same folders and files, with quotas of their own.
    pub(crate) fn with_quotas(&self, scratch_bytes: u64, scratch_files: u32) -> Self {
        Self {
            scratch: Quota::new(scratch_bytes),
            inodes: Quota::new(u64::from(scratch_files)),
            ..self.clone()
        }
    }

    /// Most bytes that the scratch files held.
    pub(crate) fn scratch_most(&self) -> u64 {
        self.scratch.most
    }

    /// Whether a write was refused for its bytes, and a file for its number.
    pub(crate) fn refused(&self) -> (bool, bool) {
        (self.scratch.refused, self.inodes.refused)
    }

    /// A write was refused for its bytes before it came here.
    pub(crate) fn refuse_bytes(&mut self) {
        self.scratch.refused = true;
    }

    fn node(&self, id: NodeId) -> Result<&Node> {
        self.nodes.get(id)
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node> {
        self.nodes.get_mut(id)
    }

    fn children(&self, id: NodeId) -> Result<&BTreeMap<String, NodeId>> {
        match &self.node(id)?.kind {
            Kind::Folder { children, .. } => Ok(children),
            Kind::File(_) => Err(Errno::NOTDIR),
        }
    }

    fn children_mut(&mut self, id: NodeId) -> Result<&mut BTreeMap<String, NodeId>> {
        match &mut self.node_mut(id)?.kind {
            Kind::Folder { children, .. } => Ok(children),
            Kind::File(_) => Err(Errno::NOTDIR),
        }
    }

    fn insert(&mut self, folder: NodeId, name: &str, kind: Kind) -> Result<NodeId> {
        let id = self.nodes.insert(Node { kind, holds: 1 })?;
        self.children_mut(folder)?.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Host side: the folder at `path`, made where it is missing.
    pub(crate) fn host_folder(&mut self, path: &str, writable: bool) -> Result<NodeId> {
        let mut at = ROOT;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            at = match self.children(at)?.get(name) {
                Some(&child) => child,
                None => {
                    let kind = Kind::Folder { children: BTreeMap::new(), parent: at, writable };
                    self.insert(at, name, kind)?
                }
            };
        }
        Ok(at)
    }

    /// Host side: puts a read-only file into a folder.
    pub(crate) fn host_file(
        &mut self,
        folder: NodeId,
        name: &str,
        content: Content,
    ) -> Result<NodeId> {
        self.insert(folder, name, Kind::File(content))
    }

    /// Walks `path` from `from`, up to its last name.
    pub(crate) fn place<'a>(&self, from: NodeId, path: &'a str) -> Result<Place<'a>> {
        if path.starts_with('/') {
            return Err(Errno::NOTCAPABLE);
        }
        let must_be_folder = path.ends_with('/');
        let mut names = path.split('/').filter(|n| !n.is_empty() && *n != ".").peekable();
        let mut at = from;
        let mut depth = 0usize;
        while let Some(name) = names.next() {
            if name.len() > LONGEST_NAME {
                return Err(Errno::NAMETOOLONG);
            }
            if name == ".." {
                let Kind::Folder { parent, .. } = &self.node(at)?.kind else {
                    return Err(Errno::NOTDIR);
                };
                depth = depth.checked_sub(1).ok_or(Errno::NOTCAPABLE)?;
                at = *parent;
                continue;
            }
            if names.peek().is_none() {
                return Ok(Place::Entry { folder: at, name, must_be_folder });
            }
            at = *self.children(at)?.get(name).ok_or(Errno::NOENT)?;
            self.children(at)?;
            depth += 1;
        }
        Ok(Place::Itself(at))
    }

    /// The node at `path`.
    pub(crate) fn find(&self, from: NodeId, path: &str) -> Result<NodeId> {
        match self.place(from, path)? {
            Place::Itself(id) => Ok(id),
            Place::Entry { folder, name, must_be_folder } => {
                let id = *self.children(folder)?.get(name).ok_or(Errno::NOENT)?;
                if must_be_folder && self.kind(id)? == NodeKind::File {
                    return Err(Errno::NOTDIR);
                }
                Ok(id)
            }
        }
    }

    pub(crate) fn kind(&self, id: NodeId) -> Result<NodeKind> {
        Ok(match self.node(id)?.kind {
            Kind::Folder { .. } => NodeKind::Folder,
            Kind::File(_) => NodeKind::File,
        })
    }

    /// Whether the guest may change this folder's entries or this file's bytes.
    pub(crate) fn writable(&self, id: NodeId) -> Result<bool> {
        Ok(match &self.node(id)?.kind {
            Kind::Folder { writable, .. } => *writable,
            Kind::File(content) => matches!(content, Content::Scratch(_)),
        })
    }

    pub(crate) fn content(&self, id: NodeId) -> Result<&Content> {
        match &self.node(id)?.kind {
            Kind::File(content) => Ok(content),
            Kind::Folder { .. } => Err(Errno::ISDIR),
        }
    }

    pub(crate) fn entries(&self, id: NodeId) -> Result<Vec<(String, NodeId)>> {
        Ok(self.children(id)?.iter().map(|(name, id)| (name.clone(), *id)).collect())
    }

    pub(crate) fn parent(&self, id: NodeId) -> Result<NodeId> {
        match &self.node(id)?.kind {
            Kind::Folder { parent, .. } => Ok(*parent),
            Kind::File(_) => Err(Errno::NOTDIR),
        }
    }

    /// The scratch files below the folder `name` of the root, by their path there.
    pub(crate) fn scratch_files(&self, name: &str) -> Vec<(String, Arc<Vec<u8>>)> {
        let mut files = Vec::new();
        let mut folders = match self.find(ROOT, name) {
            Ok(folder) => vec![(String::new(), folder)],
            Err(_) => Vec::new(),
        };
        while let Some((path, folder)) = folders.pop() {
            for (name, id) in self.entries(folder).unwrap_or_default() {
                let path = format!("{path}{name}");
                match self.node(id).map(|node| &node.kind) {
                    Ok(Kind::Folder { .. }) => folders.push((path + "/", id)),
                    Ok(Kind::File(Content::Scratch(bytes))) => files.push((path, bytes.clone())),
                    _ => {}
                }
            }
        }
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        files
    }

    fn new_entry(&mut self, folder: NodeId, name: &str, kind: Kind) -> Result<NodeId> {
        if !self.writable(folder)? {
            return Err(Errno::ROFS);
        }
        if name.len() > LONGEST_NAME {
            return Err(Errno::NAMETOOLONG);
        }
        self.inodes.take(1)?;
        self.insert(folder, name, kind)
    }

    /// A new empty scratch file.
    pub(crate) fn create(&mut self, folder: NodeId, name: &str) -> Result<NodeId> {
        self.new_entry(folder, name, Kind::File(Content::Scratch(Arc::default())))
    }

    /// A new scratch folder.
    pub(crate) fn make_folder(&mut self, from: NodeId, path: &str) -> Result<()> {
        let Place::Entry { folder, name, .. } = self.place(from, path)? else {
            return Err(Errno::EXIST);
        };
        if self.children(folder)?.contains_key(name) {
            return Err(Errno::EXIST);
        }
        if self.depth(folder)? >= DEEPEST {
            return Err(Errno::NAMETOOLONG);
        }
        let kind = Kind::Folder { children: BTreeMap::new(), parent: folder, writable: true };
        self.new_entry(folder, name, kind).map(|_| ())
    }

    fn depth(&self, mut at: NodeId) -> Result<usize> {
        let mut depth = 0;
        while at != ROOT {
            at = self.parent(at)?;
            depth += 1;
        }
        Ok(depth)
    }

    fn scratch_mut(&mut self, id: NodeId) -> Result<(&mut Vec<u8>, &mut Quota)> {
        // Looked at first: a shared node is copied when it is asked for to be written to.
        if !matches!(self.content(id)?, Content::Scratch(_)) {
            return Err(Errno::ROFS);
        }
        match &mut self.nodes.get_mut(id)?.kind {
            Kind::File(Content::Scratch(bytes)) => Ok((Arc::make_mut(bytes), &mut self.scratch)),
            _ => Err(Errno::ROFS),
        }
    }

    /// Makes a scratch file `length` long, within the quota.
    pub(crate) fn resize(&mut self, id: NodeId, length: u64) -> Result<()> {
        let (bytes, quota) = self.scratch_mut(id)?;
        let old = bytes.len() as u64;
        if length > old {
            quota.take(length - old)?;
        } else {
            quota.give_back(old - length);
        }
        bytes.resize(usize::try_from(length).map_err(|_| Errno::FBIG)?, 0);
        Ok(())
    }

    /// Makes `data` the content of a scratch file, if that is empty; else writes over its
    /// beginning.
    pub(crate) fn fill(&mut self, id: NodeId, data: Vec<u8>) -> Result<()> {
        let (bytes, quota) = self.scratch_mut(id)?;
        if !bytes.is_empty() {
            return self.write(id, 0, &data);
        }
        quota.take(data.len() as u64)?;
        *bytes = data;
        Ok(())
    }

    /// Writes into a scratch file; a gap is filled with zeros and paid for.
    pub(crate) fn write(&mut self, id: NodeId, offset: u64, data: &[u8]) -> Result<()> {
        let end = offset.checked_add(data.len() as u64).ok_or(Errno::FBIG)?;
        if end > self.content(id)?.length() {
            self.resize(id, end)?;
        }
        let (bytes, _) = self.scratch_mut(id)?;
        let start = usize::try_from(offset).map_err(|_| Errno::FBIG)?;
        bytes[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }

    /// Removes a scratch file's name; its bytes go with its last descriptor.
    pub(crate) fn unlink(&mut self, from: NodeId, path: &str) -> Result<()> {
        let Place::Entry { folder, name, must_be_folder } = self.place(from, path)? else {
            return Err(Errno::ISDIR);
        };
        let id = *self.children(folder)?.get(name).ok_or(Errno::NOENT)?;
        if self.kind(id)? == NodeKind::Folder {
            return Err(Errno::ISDIR);
        }
        if must_be_folder {
            return Err(Errno::NOTDIR);
        }
        self.remove_entry(folder, name, id)
    }

    /// Removes an empty scratch folder.
    pub(crate) fn remove_folder(&mut self, from: NodeId, path: &str) -> Result<()> {
        let Place::Entry { folder, name, .. } = self.place(from, path)? else {
            return Err(Errno::ACCES);
        };
        let id = *self.children(folder)?.get(name).ok_or(Errno::NOENT)?;
        if !self.children(id)?.is_empty() {
            return Err(Errno::NOTEMPTY);
        }
        self.remove_entry(folder, name, id)
    }

    fn remove_entry(&mut self, folder: NodeId, name: &str, id: NodeId) -> Result<()> {
        if !self.writable(folder)? {
            return Err(Errno::ROFS);
        }
        self.children_mut(folder)?.remove(name);
        self.inodes.give_back(1);
        self.release(id)
    }

    /// Moves a scratch file or folder to another scratch place.
    pub(crate) fn rename(
        &mut self,
        (from, path): (NodeId, &str),
        (to, new_path): (NodeId, &str),
    ) -> Result<()> {
        let Place::Entry { folder, name, must_be_folder } = self.place(from, path)? else {
            return Err(Errno::ACCES);
        };
        let Place::Entry { folder: new_folder, name: new_name, .. } = self.place(to, new_path)?
        else {
            return Err(Errno::ACCES);
        };
        if !self.writable(folder)? || !self.writable(new_folder)? {
            return Err(Errno::ROFS);
        }
        if new_name.len() > LONGEST_NAME {
            return Err(Errno::NAMETOOLONG);
        }
        let id = *self.children(folder)?.get(name).ok_or(Errno::NOENT)?;
        let kind = self.kind(id)?;
        if must_be_folder && kind == NodeKind::File {
            return Err(Errno::NOTDIR);
        }
        if kind == NodeKind::Folder && self.is_within(new_folder, id)? {
            return Err(Errno::INVAL);
        }
        if let Some(&old) = self.children(new_folder)?.get(new_name) {
            if old == id {
                return Ok(());
            }
            match (kind, self.kind(old)?) {
                (NodeKind::File, NodeKind::Folder) => return Err(Errno::ISDIR),
                (NodeKind::Folder, NodeKind::File) => return Err(Errno::NOTDIR),
                (NodeKind::Folder, NodeKind::Folder) if !self.children(old)?.is_empty() => {
                    return Err(Errno::NOTEMPTY);
                }
                _ => self.remove_entry(new_folder, new_name, old)?,
            }
        }
        self.children_mut(folder)?.remove(name);
        self.children_mut(new_folder)?.insert(new_name.to_owned(), id);
        if let Kind::Folder { parent, .. } = &mut self.node_mut(id)?.kind {
            *parent = new_folder;
        }
        Ok(())
    }

    fn is_within(&self, mut at: NodeId, folder: NodeId) -> Result<bool> {
        while at != ROOT {
            if at == folder {
                return Ok(true);
            }
            at = self.parent(at)?;
        }
        Ok(false)
    }

    /// A descriptor holds the node from now on.
    pub(crate) fn hold(&mut self, id: NodeId) -> Result<()> {
        if self.nodes.is_shared(id) {
            return Ok(());
        }
        let node = self.node_mut(id)?;
        node.holds = node.holds.checked_add(1).ok_or(Errno::MFILE)?;
        Ok(())
    }

    /// A name or descriptor lets go of the node; the last one frees it.
    pub(crate) fn release(&mut self, id: NodeId) -> Result<()> {
        if self.nodes.is_shared(id) {
            return Ok(());
        }
        let node = self.node_mut(id)?;
        node.holds = node.holds.saturating_sub(1);
        if node.holds == 0 {
            if let Kind::File(Content::Scratch(bytes)) = &node.kind {
                let length = bytes.len() as u64;
                self.scratch.give_back(length);
            }
            self.nodes.remove(id);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
