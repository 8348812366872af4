//! Guest memory, read and written with bounds checked.

use super::errno::{Errno, Result};

/// The guest's linear memory, for the length of one host call.
pub(crate) struct Memory<'a>(pub(crate) &'a mut [u8]);

impl Memory<'_> {
    /// `length` bytes at `address`.
    pub(crate) fn slice(&self, address: u32, length: u32) -> Result<&[u8]> {
        let start = address as usize;
        self.0.get(start..start + length as usize).ok_or(Errno::FAULT)
    }

    /// `length` bytes at `address`, to be written.
    pub(crate) fn slice_mut(&mut self, address: u32, length: u32) -> Result<&mut [u8]> {
        let start = address as usize;
        self.0.get_mut(start..start + length as usize).ok_or(Errno::FAULT)
    }

    fn array<const N: usize>(&self, address: u32) -> Result<[u8; N]> {
        let bytes = self.slice(address, N as u32)?;
        bytes.try_into().map_err(|_| Errno::FAULT)
    }

    pub(crate) fn u16(&self, address: u32) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(address)?))
    }

    pub(crate) fn u32(&self, address: u32) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(address)?))
    }

    pub(crate) fn u64(&self, address: u32) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(address)?))
    }

    pub(crate) fn write(&mut self, address: u32, bytes: &[u8]) -> Result<()> {
        let length = u32::try_from(bytes.len()).map_err(|_| Errno::FAULT)?;
        self.slice_mut(address, length)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn write_u32(&mut self, address: u32, value: u32) -> Result<()> {
        self.write(address, &value.to_le_bytes())
    }

    pub(crate) fn write_u64(&mut self, address: u32, value: u64) -> Result<()> {
        self.write(address, &value.to_le_bytes())
    }

    /// A path from the guest: UTF-8, no NUL, at most 4 KiB.
    pub(crate) fn path(&self, address: u32, length: u32) -> Result<&str> {
        if length > 4096 {
            return Err(Errno::NAMETOOLONG);
        }
        let text = std::str::from_utf8(self.slice(address, length)?).map_err(|_| Errno::INVAL)?;
        if text.contains('\0') { Err(Errno::INVAL) } else { Ok(text) }
    }

    /// The `(address, length)` pairs of an I/O vector, at most 1,024 of them.
    pub(crate) fn vectors(&self, address: u32, count: u32) -> Result<Vec<(u32, u32)>> {
        if count > 1024 {
            return Err(Errno::INVAL);
        }
        (0..count)
            .map(|i| {
                let at = address.checked_add(i * 8).ok_or(Errno::FAULT)?;
                Ok((self.u32(at)?, self.u32(at.checked_add(4).ok_or(Errno::FAULT)?)?))
            })
            .collect()
    }
}
