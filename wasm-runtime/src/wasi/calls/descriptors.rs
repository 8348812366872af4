//! Closing, asking about and changing descriptors.

use wasmtime::{Caller, Linker};

use super::super::errno::Errno;
use super::super::files::{Descriptor, flags};
use super::stat::{FILETYPE_CHARACTER, fdstat, stat_node, write_stat};
use super::{MODULE, WasiView, with};

pub(super) fn add<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "fd_close", |mut c: Caller<'_, T>, fd: u32| {
        with(&mut c, |_, data| data.wasi().files.close(fd))
    })?;
    for name in ["fd_sync", "fd_datasync"] {
        linker.func_wrap(MODULE, name, |mut c: Caller<'_, T>, fd: u32| {
            with(&mut c, |_, data| data.wasi().files.get(fd).map(|_| ()))
        })?;
    }
    linker.func_wrap(
        MODULE,
        "fd_advise",
        |mut c: Caller<'_, T>, fd: u32, _: u64, _: u64, _: u32| {
            with(&mut c, |_, data| data.wasi().files.get(fd).map(|_| ()))
        },
    )?;
    linker.func_wrap(MODULE, "fd_fdstat_get", |mut c: Caller<'_, T>, fd: u32, out: u32| {
        with(&mut c, |memory, data| fdstat(memory, data.wasi().files.get(fd)?, out))
    })?;
    linker.func_wrap(
        MODULE,
        "fd_fdstat_set_flags",
        |mut c: Caller<'_, T>, fd: u32, set: u32| {
            with(&mut c, |_, data| match data.wasi().files.get_mut(fd)? {
                Descriptor::File { append, .. } => {
                    *append = set & u32::from(flags::APPEND) != 0;
                    Ok(())
                }
                _ => Ok(()),
            })
        },
    )?;
    linker.func_wrap(MODULE, "fd_filestat_get", |mut c: Caller<'_, T>, fd: u32, out: u32| {
        with(&mut c, |memory, data| match data.wasi().files.node(fd)? {
            Some(id) => stat_node(data.wasi(), memory, id, out),
            None => write_stat(memory, out, None, FILETYPE_CHARACTER),
        })
    })?;
    linker.func_wrap(
        MODULE,
        "fd_filestat_set_size",
        |mut c: Caller<'_, T>, fd: u32, size: u64| {
            with(&mut c, |_, data| match *data.wasi().files.get(fd)? {
                Descriptor::File { node, write: true, .. } => {
                    data.wasi().files.tree.resize(node, size)
                }
                _ => Err(Errno::INVAL),
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_filestat_set_times",
        |mut c: Caller<'_, T>, fd: u32, _: u64, _: u64, _: u32| {
            with(&mut c, |_, data| data.wasi().files.get(fd).map(|_| ()))
        },
    )?;
    linker.func_wrap(MODULE, "fd_prestat_get", |mut c: Caller<'_, T>, fd: u32, out: u32| {
        with(&mut c, |memory, data| match data.wasi().files.get(fd)? {
            Descriptor::Folder { preopen: Some(path), .. } => {
                memory.write_u32(out, 0)?;
                memory.write_u32(out.wrapping_add(4), path.len() as u32)
            }
            _ => Err(Errno::BADF),
        })
    })?;
    linker.func_wrap(
        MODULE,
        "fd_prestat_dir_name",
        |mut c: Caller<'_, T>, fd: u32, out: u32, length: u32| {
            with(&mut c, |memory, data| match data.wasi().files.get(fd)? {
                Descriptor::Folder { preopen: Some(path), .. } if path.len() <= length as usize => {
                    memory.write(out, path.as_bytes())
                }
                Descriptor::Folder { preopen: Some(_), .. } => Err(Errno::NAMETOOLONG),
                _ => Err(Errno::BADF),
            })
        },
    )?;
    Ok(())
}
