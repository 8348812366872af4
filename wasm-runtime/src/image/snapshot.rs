//! An instance's memory and globals, as the pre-initialiser asks for them.

use wasmparser::ValType;
use wasmtime::{Instance, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal};

/// An instance and its store.
pub(super) struct Instantiated<'a, T: 'static> {
    pub(super) store: &'a mut Store<T>,
    pub(super) instance: Instance,
}

impl<T: Send> InstanceState for Instantiated<'_, T> {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        // The trait's contract: the name was exported by the instrumentation.
        let global = self.instance.get_global(&mut *self.store, name);
        match global.map(|global| global.get(&mut *self.store)) {
            Some(Val::I32(x)) => SnapshotVal::I32(x),
            Some(Val::I64(x)) => SnapshotVal::I64(x),
            Some(Val::F32(x)) => SnapshotVal::F32(x),
            Some(Val::F64(x)) => SnapshotVal::F64(x),
            Some(Val::V128(x)) => SnapshotVal::V128(x.as_u128()),
            other => panic!("the instrumented module's global {name} is {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        if let Some(memory) = self.instance.get_memory(&mut *self.store, name) {
            contents(memory.data(&self.store));
        }
    }
}
