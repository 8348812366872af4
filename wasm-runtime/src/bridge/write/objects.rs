//! Columns of Python's objects, read where they are.

use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, StringArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::UInt32Type;

use super::super::objects::{Found, Looking};
use super::{Refused, STRIDE, Source, over_two_gib};

/// Objects that are remembered by their address.
const KNOWN: usize = 1024;

impl<'a> Source<'a> {
    /// The objects' addresses, and how they are looked at.
    fn looking(&self, values: u32) -> Result<(ScalarBuffer<u32>, Looking<'a>), Refused> {
        let objects = self.objects.ok_or("its objects are of no known type")?;
        let addresses = self.scalars::<UInt32Type>(values, self.rows)?;
        let (types, missing) = (objects.types, objects.missing.as_slice());
        Ok((addresses, Looking { memory: self.memory, types, missing }))
    }

    /// Gives each row's address to `take`, whose answer is whether the row has a value.
    fn each(
        &self,
        addresses: &[u32],
        mut take: impl FnMut(u32) -> Result<bool, Refused>,
    ) -> Result<Option<NullBuffer>, Refused> {
        let mut valid = Vec::with_capacity(addresses.len());
        for some in addresses.chunks(STRIDE) {
            if self.stop.reason().is_some() {
                return Err("the run was stopped".into());
            }
            for address in some {
                valid.push(take(*address)?);
            }
        }
        let nulls = NullBuffer::from(valid);
        Ok((nulls.null_count() > 0).then_some(nulls))
    }

    /// The fewest bytes that these texts take, if there is room for them.
    fn least(&self, addresses: &[u32], looking: &Looking<'_>) -> Result<u64, Refused> {
        let mut least = 0u64;
        for some in addresses.chunks(STRIDE) {
            if self.stop.reason().is_some() {
                return Err("the run was stopped".into());
            }
            least += some.iter().map(|address| looking.characters_of(*address)).sum::<u64>();
            self.fits(least)?;
        }
        if i32::try_from(least).is_err() {
            return Err(over_two_gib(least));
        }
        Ok(least)
    }

    pub(super) fn texts(&self, values: u32) -> Result<StringArray, Refused> {
        let (addresses, looking) = self.looking(values)?;
        // A long text that many rows share is refused before it is spread.
        let least = self.least(&addresses, &looking)?;
        let mut ends = Vec::with_capacity(self.rows + 1);
        ends.push(0i32);
        let mut texts = Vec::with_capacity(usize::try_from(least).unwrap_or(0));
        // The same object again is the same text: which was where, by its address.
        let mut known = [(0u32, 0usize, 0usize); KNOWN];
        let nulls = self.each(&addresses, |address| {
            let place = &mut known[(address as usize >> 3) % KNOWN];
            let begin = texts.len();
            let found = if place.0 == address && address != 0 {
                texts.extend_from_within(place.1..place.2);
                Found::Value(())
            } else {
                looking.text(address, &mut texts)
            };
            if found == Found::Value(()) {
                *place = (address, begin, texts.len());
            }
            self.fits(texts.len() as u64)?;
            let end = i32::try_from(texts.len()).map_err(|_| over_two_gib(texts.len() as u64))?;
            ends.push(end);
            match found {
                Found::Value(()) => Ok(true),
                Found::Missing => Ok(false),
                Found::Other => Err(Refused::Mixed),
            }
        })?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        let array = StringArray::try_new(offsets, Buffer::from(texts), nulls);
        Ok(array.map_err(|error| error.to_string())?)
    }

    pub(super) fn dates(&self, values: u32) -> Result<ArrayRef, Refused> {
        let (addresses, looking) = self.looking(values)?;
        let mut days = Vec::with_capacity(self.rows);
        let mut known = [(0u32, 0i32); KNOWN];
        let nulls = self.each(&addresses, |address| {
            let place = &mut known[(address as usize >> 3) % KNOWN];
            if place.0 == address && address != 0 {
                days.push(place.1);
                return Ok(true);
            }
            let (day, valid) = match looking.date(address) {
                Found::Value(day) => {
                    *place = (address, day);
                    (day, true)
                }
                Found::Missing => (0, false),
                Found::Other => return Err(Refused::Mixed),
            };
            days.push(day);
            Ok(valid)
        })?;
        Ok(Arc::new(Date32Array::new(days.into(), nulls)))
    }
}
