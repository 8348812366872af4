//! The imports of `wasi_snapshot_preview1`, one closure each.
//!
//! Addresses come from the guest: sums wrap, and every access is bounds-checked
//! after. Each closure turns addresses into slices and calls [`Files`] or a stream. Only
//! `poll_oneoff` waits, and it waits as a future, so that a sleeping guest can be
//! stopped.

use std::time::Duration;

use wasmtime::{Caller, Extern, Linker};

use super::errno::{Errno, Result};
use super::files::{Descriptor, OpenFlags, flags};
use super::memory::Memory;
use super::streams::Full;
use super::tree::{NodeId, NodeKind};
use super::{ARGUMENTS, ENVIRONMENT, Wasi};
use crate::limits::LimitName;

const MODULE: &str = "wasi_snapshot_preview1";

/// A store's data that has a [`Wasi`] in it.
pub(crate) trait WasiView: Send + 'static {
    fn wasi(&mut self) -> &mut Wasi;
    /// A limit was met that the guest must not survive.
    fn over(&mut self, limit: LimitName);
    /// The limit that [`WasiView::over`] was told of.
    fn over_limit(&self) -> Option<LimitName>;
    /// A future that is done after `duration`.
    fn sleep(&mut self, duration: Duration) -> impl Future<Output = ()> + Send + 'static;
}

/// The guest left by `proc_exit`.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the guest left with code {0}")]
pub(crate) struct ProcExit(pub(crate) i32);

/// A limit that ends the guest at once.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the guest met its limit {0:?}")]
pub(crate) struct OverLimit(pub(crate) LimitName);

/// Splits a store's data and the guest's memory, and turns errors into numbers. A
/// limit that ends the guest is a trap.
fn with<T: WasiView>(
    caller: &mut Caller<'_, T>,
    body: impl FnOnce(&mut Memory<'_>, &mut T) -> Result<()>,
) -> wasmtime::Result<i32> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Ok(i32::from(Errno::FAULT.0));
    };
    let (bytes, data) = memory.data_and_store_mut(caller);
    let answer = body(&mut Memory(bytes), data);
    if let Some(limit) = data.over_limit() {
        return Err(OverLimit(limit).into());
    }
    Ok(answer.map_or_else(|Errno(number)| i32::from(number), |()| 0))
}

/// Adds every import that the guest has.
pub(crate) fn add_to_linker<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    process(linker)?;
    descriptors(linker)?;
    reading_and_writing(linker)?;
    paths(linker)?;
    refused(linker)?;
    polling(linker)
}

fn strings(memory: &mut Memory<'_>, list: &[&str], pointers: u32, buffer: u32) -> Result<()> {
    let mut at = buffer;
    for (i, text) in list.iter().enumerate() {
        memory.write_u32(pointers.wrapping_add(4 * i as u32), at)?;
        memory.write(at, text.as_bytes())?;
        memory.write(at.wrapping_add(text.len() as u32), &[0])?;
        at = at.wrapping_add(text.len() as u32 + 1);
    }
    Ok(())
}

fn sizes(memory: &mut Memory<'_>, list: &[&str], count: u32, size: u32) -> Result<()> {
    let bytes: usize = list.iter().map(|text| text.len() + 1).sum();
    memory.write_u32(count, list.len() as u32)?;
    memory.write_u32(size, bytes as u32)
}

fn process<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "args_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| strings(memory, ARGUMENTS, a, b))
    })?;
    linker.func_wrap(MODULE, "args_sizes_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| sizes(memory, ARGUMENTS, a, b))
    })?;
    linker.func_wrap(MODULE, "environ_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| strings(memory, ENVIRONMENT, a, b))
    })?;
    linker.func_wrap(MODULE, "environ_sizes_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| sizes(memory, ENVIRONMENT, a, b))
    })?;
    linker.func_wrap(MODULE, "clock_res_get", |mut c: Caller<'_, T>, id: u32, out: u32| {
        with(&mut c, |memory, _| if id > 3 { Err(Errno::INVAL) } else { memory.write_u64(out, 1) })
    })?;
    linker.func_wrap(
        MODULE,
        "clock_time_get",
        |mut c: Caller<'_, T>, id: u32, _precision: u64, out: u32| {
            with(&mut c, |memory, data| {
                let now = match id {
                    0 => data.wasi().realtime(),
                    1..=3 => data.wasi().monotonic(),
                    _ => return Err(Errno::INVAL),
                };
                memory.write_u64(out, now)
            })
        },
    )?;
    linker.func_wrap(MODULE, "random_get", |mut c: Caller<'_, T>, buffer: u32, length: u32| {
        with(&mut c, |memory, data| {
            data.wasi().random.fill(memory.slice_mut(buffer, length)?);
            Ok(())
        })
    })?;
    linker.func_wrap(MODULE, "proc_exit", |code: i32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::from(ProcExit(code)))
    })?;
    linker.func_wrap(MODULE, "sched_yield", || 0i32)?;
    Ok(())
}

const FILETYPE_CHARACTER: u8 = 2;
const FILETYPE_FOLDER: u8 = 3;
const FILETYPE_FILE: u8 = 4;

fn write_stat(
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

fn stat_node(wasi: &mut Wasi, memory: &mut Memory<'_>, id: NodeId, out: u32) -> Result<()> {
    match wasi.files.tree.kind(id)? {
        NodeKind::Folder => write_stat(memory, out, Some((id, 0)), FILETYPE_FOLDER),
        NodeKind::File => {
            let length = wasi.files.tree.content(id)?.length();
            write_stat(memory, out, Some((id, length)), FILETYPE_FILE)
        }
    }
}

fn descriptors<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
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

fn fdstat(memory: &mut Memory<'_>, descriptor: &Descriptor, out: u32) -> Result<()> {
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

fn fd_read(
    memory: &mut Memory<'_>,
    wasi: &mut Wasi,
    (fd, at): (u32, Option<u64>),
    (vectors, count): (u32, u32),
) -> Result<u32> {
    let vectors = memory.vectors(vectors, count)?;
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

fn fd_write(
    memory: &Memory<'_>,
    data: &mut impl WasiView,
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

fn reading_and_writing<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "fd_read",
        |mut c: Caller<'_, T>, fd: u32, vectors: u32, count: u32, out: u32| {
            with(&mut c, |memory, data| {
                let n = fd_read(memory, data.wasi(), (fd, None), (vectors, count))?;
                memory.write_u32(out, n)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_pread",
        |mut c: Caller<'_, T>, fd: u32, vectors: u32, count: u32, offset: u64, out: u32| {
            with(&mut c, |memory, data| {
                let n = fd_read(memory, data.wasi(), (fd, Some(offset)), (vectors, count))?;
                memory.write_u32(out, n)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_write",
        |mut c: Caller<'_, T>, fd: u32, vectors: u32, count: u32, out: u32| {
            with(&mut c, |memory, data| {
                let n = fd_write(memory, data, (fd, None), (vectors, count))?;
                memory.write_u32(out, n)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_pwrite",
        |mut c: Caller<'_, T>, fd: u32, vectors: u32, count: u32, offset: u64, out: u32| {
            with(&mut c, |memory, data| {
                let n = fd_write(memory, data, (fd, Some(offset)), (vectors, count))?;
                memory.write_u32(out, n)
            })
        },
    )?;
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

fn paths<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "path_open",
        |mut c: Caller<'_, T>,
         fd: u32,
         _lookup: u32,
         path: u32,
         length: u32,
         oflags: u32,
         rights: u64,
         _inheriting: u64,
         fdflags: u32,
         out: u32| {
            with(&mut c, |memory, data| {
                let how = OpenFlags { oflags: oflags as u16, fdflags: fdflags as u16, rights };
                let opened = data.wasi().files.open(fd, memory.path(path, length)?, how)?;
                memory.write_u32(out, opened)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_filestat_get",
        |mut c: Caller<'_, T>, fd: u32, _lookup: u32, path: u32, length: u32, out: u32| {
            with(&mut c, |memory, data| {
                let from = data.wasi().files.folder(fd)?;
                let id = data.wasi().files.tree.find(from, memory.path(path, length)?)?;
                stat_node(data.wasi(), memory, id, out)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_filestat_set_times",
        |mut c: Caller<'_, T>, fd: u32, _: u32, path: u32, length: u32, _: u64, _: u64, _: u32| {
            with(&mut c, |memory, data| {
                let from = data.wasi().files.folder(fd)?;
                data.wasi().files.tree.find(from, memory.path(path, length)?).map(|_| ())
            })
        },
    )?;
    type PathCall = fn(&mut Wasi, NodeId, &str) -> Result<()>;
    let calls: [(&str, PathCall); 3] = [
        ("path_create_directory", |wasi, from, path| wasi.files.tree.make_folder(from, path)),
        ("path_remove_directory", |wasi, from, path| wasi.files.tree.remove_folder(from, path)),
        ("path_unlink_file", |wasi, from, path| wasi.files.tree.unlink(from, path)),
    ];
    for (name, call) in calls {
        linker.func_wrap(
            MODULE,
            name,
            move |mut c: Caller<'_, T>, fd: u32, path: u32, n: u32| {
                with(&mut c, |memory, data| {
                    let from = data.wasi().files.folder(fd)?;
                    call(data.wasi(), from, memory.path(path, n)?)
                })
            },
        )?;
    }
    linker.func_wrap(
        MODULE,
        "path_rename",
        |mut c: Caller<'_, T>, fd: u32, a: u32, an: u32, new_fd: u32, b: u32, bn: u32| {
            with(&mut c, |memory, data| {
                let files = &mut data.wasi().files;
                let (from, to) = (files.folder(fd)?, files.folder(new_fd)?);
                files.tree.rename((from, memory.path(a, an)?), (to, memory.path(b, bn)?))
            })
        },
    )?;
    Ok(())
}

/// Links and sockets do not exist here.
fn refused<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let not_supported = i32::from(Errno::NOTSUP.0);
    let not_a_socket = i32::from(Errno::NOTSOCK.0);
    linker.func_wrap(
        MODULE,
        "path_link",
        move |_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, _: u32| not_supported,
    )?;
    linker.func_wrap(MODULE, "path_symlink", move |_: u32, _: u32, _: u32, _: u32, _: u32| {
        not_supported
    })?;
    linker.func_wrap(
        MODULE,
        "path_readlink",
        // Nothing is a link: EINVAL is what POSIX says of a file that is none.
        move |mut c: Caller<'_, T>, fd: u32, path: u32, length: u32, _: u32, _: u32, _: u32| {
            with(&mut c, |memory, data| {
                let from = data.wasi().files.folder(fd)?;
                data.wasi().files.tree.find(from, memory.path(path, length)?)?;
                Err(Errno::INVAL)
            })
        },
    )?;
    linker.func_wrap(MODULE, "sock_accept", move |_: u32, _: u32, _: u32| not_a_socket)?;
    linker.func_wrap(
        MODULE,
        "sock_recv",
        move |_: u32, _: u32, _: u32, _: u32, _: u32, _: u32| not_a_socket,
    )?;
    linker.func_wrap(MODULE, "sock_send", move |_: u32, _: u32, _: u32, _: u32, _: u32| {
        not_a_socket
    })?;
    linker.func_wrap(MODULE, "sock_shutdown", move |_: u32, _: u32| not_a_socket)?;
    Ok(())
}

/// What `poll_oneoff` waits for: ready descriptors at once, else the first clock.
struct Poll {
    ready: Vec<(u64, u8)>,
    clock: Option<(u64, Duration)>,
}

fn read_subscriptions(memory: &Memory<'_>, wasi: &Wasi, at: u32, count: u32) -> Result<Poll> {
    if count == 0 || count > 1024 {
        return Err(Errno::INVAL);
    }
    let mut poll = Poll { ready: Vec::new(), clock: None };
    for i in 0..count {
        let base = at.checked_add(i * 48).ok_or(Errno::FAULT)?;
        let record = memory.slice(base, 48)?;
        let (user, tag) = (memory.u64(base)?, record[8]);
        if tag != 0 {
            poll.ready.push((user, tag));
            continue;
        }
        let (clock, timeout) =
            (memory.u32(base.wrapping_add(16))?, memory.u64(base.wrapping_add(24))?);
        let absolute = memory.u16(base.wrapping_add(40))? & 1 != 0;
        let now = if clock == 0 { wasi.realtime() } else { wasi.monotonic() };
        let wait = if absolute { timeout.saturating_sub(now) } else { timeout };
        let wait = Duration::from_nanos(wait);
        if poll.clock.is_none_or(|(_, first)| wait < first) {
            poll.clock = Some((user, wait));
        }
    }
    Ok(poll)
}

fn polling<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap_async(
        MODULE,
        "poll_oneoff",
        |mut caller: Caller<'_, T>, (subscriptions, events, count, out): (u32, u32, u32, u32)| {
            Box::new(async move {
                let mut poll = Poll { ready: Vec::new(), clock: None };
                let status = with(&mut caller, |memory, data| {
                    poll = read_subscriptions(memory, data.wasi(), subscriptions, count)?;
                    Ok(())
                });
                if !matches!(status, Ok(0)) {
                    return status;
                }
                if poll.ready.is_empty()
                    && let Some((user, wait)) = poll.clock
                {
                    let sleep = caller.data_mut().sleep(wait);
                    sleep.await;
                    poll.ready.push((user, 0));
                }
                with(&mut caller, |memory, _| {
                    for (i, (user, tag)) in poll.ready.iter().enumerate() {
                        let mut event = [0u8; 32];
                        event[0..8].copy_from_slice(&user.to_le_bytes());
                        event[10] = *tag;
                        memory.write(events.wrapping_add(32 * i as u32), &event)?;
                    }
                    memory.write_u32(out, poll.ready.len() as u32)
                })
            })
        },
    )?;
    Ok(())
}
