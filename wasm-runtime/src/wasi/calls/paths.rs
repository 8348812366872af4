//! What takes a path; and links and sockets, which are refused.

use wasmtime::{Caller, Linker};

use super::super::Wasi;
use super::super::errno::{Errno, Result};
use super::super::files::OpenFlags;
use super::super::memory::Memory;
use super::super::tree::NodeId;
use super::stat::stat_node;
use super::{MODULE, WasiView, with};

/// What is at a path below the folder `fd`.
fn find<T: WasiView>(
    memory: &Memory<'_>,
    data: &mut T,
    fd: u32,
    (path, length): (u32, u32),
) -> Result<NodeId> {
    let files = &data.wasi().files;
    files.tree.find(files.folder(fd)?, memory.path(path, length)?)
}

pub(super) fn add<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
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
                let id = find(memory, data, fd, (path, length))?;
                stat_node(data.wasi(), memory, id, out)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_filestat_set_times",
        |mut c: Caller<'_, T>, fd: u32, _: u32, path: u32, length: u32, _: u64, _: u64, _: u32| {
            with(&mut c, |memory, data| find(memory, data, fd, (path, length)).map(drop))
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
pub(super) fn add_refused<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
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
                find(memory, data, fd, (path, length))?;
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
