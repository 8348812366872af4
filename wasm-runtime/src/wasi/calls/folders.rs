//! Listing folders.

use wasmtime::{Caller, Linker};

use super::super::Wasi;
use super::super::errno::{Errno, Result};
use super::super::files::Descriptor;
use super::super::memory::Memory;
use super::super::tree::NodeKind;
use super::stat::{FILETYPE_FILE, FILETYPE_FOLDER};
use super::{MODULE, WasiView, with};

pub(super) fn add<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "fd_readdir",
        |mut c: Caller<'_, T>, fd: u32, buffer: u32, length: u32, cookie: u64, out: u32| {
            with(&mut c, |memory, data| {
                let n = read_folder(memory, data.wasi(), fd, (buffer, length), cookie)?;
                memory.write_u32(out, n)
            })
        },
    )?;
    Ok(())
}

/// Writes `dirent` records until the buffer is full; the last may be cut, which
/// tells the guest to ask again.
fn read_folder(
    memory: &mut Memory<'_>,
    wasi: &mut Wasi,
    fd: u32,
    (buffer, length): (u32, u32),
    cookie: u64,
) -> Result<u32> {
    let node = wasi.files.folder(fd)?;
    if cookie == 0 {
        let mut entries =
            vec![(".".to_owned(), node), ("..".to_owned(), wasi.files.tree.parent(node)?)];
        entries.extend(wasi.files.tree.entries(node)?);
        if let Descriptor::Folder { listing, .. } = wasi.files.get_mut(fd)? {
            *listing = entries;
        }
    }
    let Descriptor::Folder { listing, .. } = wasi.files.get(fd)? else {
        return Err(Errno::NOTDIR);
    };
    let mut used = 0u32;
    let skip = usize::try_from(cookie).unwrap_or(usize::MAX);
    for (index, (name, id)) in listing.iter().enumerate().skip(skip) {
        let kind = match wasi.files.tree.kind(*id) {
            Ok(NodeKind::Folder) => FILETYPE_FOLDER,
            // Removed since: the name is still listed once, as POSIX allows.
            Ok(NodeKind::File) | Err(_) => FILETYPE_FILE,
        };
        let mut record = [0u8; 24];
        record[0..8].copy_from_slice(&(index as u64 + 1).to_le_bytes());
        record[8..16].copy_from_slice(&id.inode().to_le_bytes());
        record[16..20].copy_from_slice(&(name.len() as u32).to_le_bytes());
        record[20] = kind;
        for part in [&record[..], name.as_bytes()] {
            let n = part.len().min((length - used) as usize);
            memory.write(buffer.wrapping_add(used), &part[..n])?;
            used += n as u32;
            if used == length {
                return Ok(used);
            }
        }
    }
    Ok(used)
}
