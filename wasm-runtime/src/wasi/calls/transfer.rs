//! Reading, writing and seeking.

use wasmtime::{Caller, Linker};

use super::super::Wasi;
use super::super::errno::{Errno, Result};
use super::super::files::Descriptor;
use super::super::memory::Memory;
use super::super::streams::Full;
use super::super::tree::NodeId;
use super::{MODULE, WasiView, with};
use crate::limits::LimitName;

/// Reads into the vectors from `node` at `offset`; how many bytes.
fn read_vectors(
    wasi: &Wasi,
    memory: &mut Memory<'_>,
    node: NodeId,
    offset: u64,
    vectors: &[(u32, u32)],
) -> Result<u32> {
    let mut total = 0u32;
    for &(address, length) in vectors {
        let buffer = memory.slice_mut(address, length)?;
        let n = wasi.files.read_at(node, offset.saturating_add(u64::from(total)), buffer)?;
        total = total.checked_add(n as u32).ok_or(Errno::INVAL)?;
        if n < length as usize {
            break;
        }
    }
    Ok(total)
}

fn write_vectors(
    wasi: &mut Wasi,
    memory: &Memory<'_>,
    node: NodeId,
    offset: u64,
    vectors: &[(u32, u32)],
) -> Result<u32> {
    let mut total = 0u32;
    for &(address, length) in vectors {
        let at = offset.checked_add(u64::from(total)).ok_or(Errno::FBIG)?;
        wasi.files.tree.write(node, at, memory.slice(address, length)?)?;
        total = total.checked_add(length).ok_or(Errno::INVAL)?;
    }
    Ok(total)
}

fn fd_read<T: WasiView>(
    memory: &mut Memory<'_>,
    data: &mut T,
    (fd, at): (u32, Option<u64>),
    (vectors, count): (u32, u32),
) -> Result<u32> {
    let vectors = memory.vectors(vectors, count)?;
    let wasi = data.wasi();
    match *wasi.files.get(fd)? {
        Descriptor::Stdin => Ok(0),
        Descriptor::Folder { .. } => Err(Errno::ISDIR),
        Descriptor::File { node, offset, read: true, .. } => {
            let n = read_vectors(wasi, memory, node, at.unwrap_or(offset), &vectors)?;
            if at.is_none()
                && let Descriptor::File { offset, .. } = wasi.files.get_mut(fd)?
            {
                *offset = offset.saturating_add(u64::from(n));
            }
            Ok(n)
        }
        _ => Err(Errno::BADF),
    }
}

fn fd_write<T: WasiView>(
    memory: &mut Memory<'_>,
    data: &mut T,
    (fd, at): (u32, Option<u64>),
    (vectors, count): (u32, u32),
) -> Result<u32> {
    let vectors = memory.vectors(vectors, count)?;
    let wasi = data.wasi();
    match *wasi.files.get(fd)? {
        Descriptor::Stdout | Descriptor::Stderr => {
            let is_stdout = matches!(wasi.files.get(fd)?, Descriptor::Stdout);
            let stream = if is_stdout { &mut wasi.stdout } else { &mut wasi.stderr };
            let mut total = 0u32;
            for (address, length) in vectors {
                if stream.write(memory.slice(address, length)?) == Err(Full) {
                    data.over(if is_stdout { LimitName::Stdout } else { LimitName::Stderr });
                    return Err(Errno::FBIG);
                }
                total = total.checked_add(length).ok_or(Errno::INVAL)?;
            }
            Ok(total)
        }
        Descriptor::Folder { .. } => Err(Errno::ISDIR),
        Descriptor::File { node, offset, append, write: true, .. } => {
            let end = wasi.files.tree.content(node)?.length();
            let start = at.unwrap_or(if append { end } else { offset });
            let n = write_vectors(wasi, memory, node, start, &vectors)?;
            if at.is_none()
                && let Descriptor::File { offset, .. } = wasi.files.get_mut(fd)?
            {
                *offset = start.saturating_add(u64::from(n));
            }
            Ok(n)
        }
        _ => Err(Errno::BADF),
    }
}

/// Moves bytes between vectors in memory and a descriptor, at its offset or at
/// another place; how many.
type Transfer<T> = fn(&mut Memory<'_>, &mut T, (u32, Option<u64>), (u32, u32)) -> Result<u32>;

/// Adds a transfer in its two forms: at the descriptor's offset, and at a given one.
fn add_transfer<T: WasiView>(
    linker: &mut Linker<T>,
    (name, positioned): (&str, &str),
    transfer: Transfer<T>,
) -> wasmtime::Result<()> {
    let call = move |c: &mut Caller<'_, T>, place, vectors, out| {
        with(c, |memory, data| {
            let n = transfer(memory, data, place, vectors)?;
            memory.write_u32(out, n)
        })
    };
    linker.func_wrap(
        MODULE,
        name,
        move |mut c: Caller<'_, T>, fd: u32, vectors: u32, count: u32, out: u32| {
            call(&mut c, (fd, None), (vectors, count), out)
        },
    )?;
    linker.func_wrap(
        MODULE,
        positioned,
        move |mut c: Caller<'_, T>, fd: u32, vectors: u32, count: u32, offset: u64, out: u32| {
            call(&mut c, (fd, Some(offset)), (vectors, count), out)
        },
    )?;
    Ok(())
}

pub(super) fn add<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    add_transfer(linker, ("fd_read", "fd_pread"), fd_read)?;
    add_transfer(linker, ("fd_write", "fd_pwrite"), fd_write)?;
    linker.func_wrap(
        MODULE,
        "fd_seek",
        |mut c: Caller<'_, T>, fd: u32, delta: i64, whence: u32, out: u32| {
            with(&mut c, |memory, data| {
                let whence = u8::try_from(whence).map_err(|_| Errno::INVAL)?;
                let to = data.wasi().files.seek(fd, delta, whence)?;
                memory.write_u64(out, to)
            })
        },
    )?;
    linker.func_wrap(MODULE, "fd_tell", |mut c: Caller<'_, T>, fd: u32, out: u32| {
        with(&mut c, |memory, data| {
            let to = data.wasi().files.seek(fd, 0, 1)?;
            memory.write_u64(out, to)
        })
    })?;
    Ok(())
}
