//! WASI error numbers that we give (preview 1, `errno`).

/// A WASI error number; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) u16);

macro_rules! errnos {
    ($($name:ident = $value:literal;)*) => {
        impl Errno { $(pub(crate) const $name: Errno = Errno($value);)* }
    };
}

errnos! {
    ACCES = 2;
    BADF = 8;
    EXIST = 20;
    FBIG = 22;
    FAULT = 21;
    INVAL = 28;
    IO = 29;
    ISDIR = 31;
    MFILE = 33;
    NAMETOOLONG = 37;
    NOENT = 44;
    NOSPC = 51;
    NOTDIR = 54;
    NOTEMPTY = 55;
    NOTSUP = 58;
    ROFS = 69;
    SPIPE = 70;
    NOTSOCK = 57;
    NOTCAPABLE = 76;
}

pub(crate) type Result<T> = std::result::Result<T, Errno>;
