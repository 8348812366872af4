//! What the guest is told of files: `filestat` and `fdstat`.

use super::super::Wasi;
use super::super::errno::Result;
use super::super::files::{Descriptor, flags};
use super::super::memory::Memory;
use super::super::tree::{NodeId, NodeKind};

pub(super) const FILETYPE_CHARACTER: u8 = 2;
pub(super) const FILETYPE_FOLDER: u8 = 3;
pub(super) const FILETYPE_FILE: u8 = 4;

pub(super) fn write_stat(
    memory: &mut Memory<'_>,
    out: u32,
    node: Option<(NodeId, u64)>,
    kind: u8,
) -> Result<()> {
    let mut stat = [0u8; 64];
    stat[0..8].copy_from_slice(&1u64.to_le_bytes());
    stat[16] = kind;
    stat[24..32].copy_from_slice(&1u64.to_le_bytes());
    if let Some((id, length)) = node {
        stat[8..16].copy_from_slice(&id.inode().to_le_bytes());
        stat[32..40].copy_from_slice(&length.to_le_bytes());
    }
    // 2020-01-01: a fixed time, because a file's time is no part of an answer, and
    // after 1980, because zip archives cannot say an earlier one.
    for at in [40, 48, 56] {
        stat[at..at + 8].copy_from_slice(&1_577_836_800_000_000_000u64.to_le_bytes());
    }
    memory.write(out, &stat)
}

pub(super) fn stat_node(
    wasi: &mut Wasi,
    memory: &mut Memory<'_>,
    id: NodeId,
    out: u32,
) -> Result<()> {
    match wasi.files.tree.kind(id)? {
        NodeKind::Folder => write_stat(memory, out, Some((id, 0)), FILETYPE_FOLDER),
        NodeKind::File => {
            let length = wasi.files.tree.content(id)?.length();
            write_stat(memory, out, Some((id, length)), FILETYPE_FILE)
        }
    }
}

pub(super) fn fdstat(memory: &mut Memory<'_>, descriptor: &Descriptor, out: u32) -> Result<()> {
    let (kind, set, rights) = match descriptor {
        Descriptor::Stdin | Descriptor::Stdout | Descriptor::Stderr => {
            (FILETYPE_CHARACTER, 0, flags::RIGHT_READ | flags::RIGHT_WRITE)
        }
        Descriptor::Folder { .. } => (FILETYPE_FOLDER, 0, u64::MAX >> 34),
        Descriptor::File { append, read, write, .. } => {
            let mut rights = (u64::MAX >> 34) & !(flags::RIGHT_READ | flags::RIGHT_WRITE);
            rights |= if *read { flags::RIGHT_READ } else { 0 };
            rights |= if *write { flags::RIGHT_WRITE } else { 0 };
            (FILETYPE_FILE, if *append { flags::APPEND } else { 0 }, rights)
        }
    };
    let mut stat = [0u8; 24];
    stat[0] = kind;
    stat[2..4].copy_from_slice(&set.to_le_bytes());
    stat[8..16].copy_from_slice(&rights.to_le_bytes());
    stat[16..24].copy_from_slice(&(u64::MAX >> 34).to_le_bytes());
    memory.write(out, &stat)
}
