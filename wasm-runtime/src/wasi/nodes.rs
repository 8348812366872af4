//! Where the nodes of a [`Tree`](super::tree::Tree) are: thousands that all runs share,
//! and the few that one run made or changed.
//!
//! A run begins with a clone of its sandbox's tree, so a clone must cost the same
//! whether the guest's folders hold two hundred files or twenty thousand. The nodes
//! that the host laid out are frozen into a base, which clones share and never write
//! to; a folder of the base whose entries a run changes is copied for that run, and
//! what the run makes is numbered behind the base.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::errno::{Errno, Result};
use super::tree::{Node, NodeId};

/// The nodes of one tree, by their number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nodes {
    base: Arc<[Node]>,
    /// Nodes of the base as this tree has changed them.
    changed: BTreeMap<u32, Node>,
    /// This tree's own, from number `base.len()` on.
    own: Vec<Option<Node>>,
    /// Indices into `own` that are free.
    free: Vec<usize>,
}

impl Nodes {
    pub(crate) fn get(&self, id: NodeId) -> Result<&Node> {
        let index = id.0 as usize;
        let node = match index.checked_sub(self.base.len()) {
            Some(own) => self.own.get(own).and_then(Option::as_ref),
            None => self.changed.get(&id.0).or_else(|| self.base.get(index)),
        };
        node.ok_or(Errno::NOENT)
    }

    pub(crate) fn get_mut(&mut self, id: NodeId) -> Result<&mut Node> {
        let index = id.0 as usize;
        match index.checked_sub(self.base.len()) {
            Some(own) => self.own.get_mut(own).and_then(Option::as_mut).ok_or(Errno::NOENT),
            None => Ok(self.changed.entry(id.0).or_insert_with(|| self.base[index].clone())),
        }
    }

    pub(crate) fn insert(&mut self, node: Node) -> Result<NodeId> {
        let own = self.free.pop().unwrap_or_else(|| {
            self.own.push(None);
            self.own.len() - 1
        });
        let id = u32::try_from(self.base.len() + own).map_err(|_| Errno::NOSPC)?;
        self.own[own] = Some(node);
        Ok(NodeId(id))
    }

    /// Lets go of a node of this tree's own.
    pub(crate) fn remove(&mut self, id: NodeId) {
        if let Some(own) = (id.0 as usize).checked_sub(self.base.len())
            && self.own.get_mut(own).and_then(Option::take).is_some()
        {
            self.free.push(own);
        }
    }

    /// Whether the node is shared with the tree's clones, and so is never freed.
    pub(crate) fn is_shared(&self, id: NodeId) -> bool {
        (id.0 as usize) < self.base.len()
    }

    /// Makes everything the base of later clones. Numbers stay; where something was
    /// removed there would be a hole, and nothing is frozen.
    pub(crate) fn freeze(&mut self) {
        if !self.free.is_empty() {
            return;
        }
        let mut nodes = self.base.to_vec();
        for (index, node) in std::mem::take(&mut self.changed) {
            nodes[index as usize] = node;
        }
        nodes.extend(std::mem::take(&mut self.own).into_iter().flatten());
        self.base = nodes.into();
    }
}
