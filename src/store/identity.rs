//! Who an artifact belongs to, and what it is called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const PREFIX: &str = DataRef::PREFIX;
const DIGITS: usize = 32;
const OWNER_BYTES: usize = 256;

/// The handle of an artifact: `data_` and 128 random bits. It is not a secret
/// (the owner is checked on every read), but it cannot be guessed either.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DataRef(String);

/// A text that is not a [`DataRef`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is not a dataRef: one is data_ and 32 lower-case hex digits, copied whole from an earlier answer"
)]
pub struct BadDataRef;

impl DataRef {
    /// How each begins.
    pub const PREFIX: &str = "data_";

    /// A new one.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn random() -> std::io::Result<Self> {
        Ok(Self(format!("{PREFIX}{}", super::temporary::random_hex()?)))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DataRef {
    type Err = BadDataRef;

    /// The text becomes part of a file name, so exactly one spelling is accepted.
    fn from_str(text: &str) -> Result<Self, BadDataRef> {
        let digits = text.strip_prefix(PREFIX).ok_or(BadDataRef)?;
        let well_formed = digits.len() == DIGITS
            && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if well_formed { Ok(Self(text.to_owned())) } else { Err(BadDataRef) }
    }
}

impl TryFrom<String> for DataRef {
    type Error = BadDataRef;

    fn try_from(text: String) -> Result<Self, BadDataRef> {
        text.parse()
    }
}

impl From<DataRef> for String {
    fn from(reference: DataRef) -> String {
        reference.0
    }
}

impl fmt::Display for DataRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose an artifact is: the subject of a token, or the local user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Owner(String);

/// A text that cannot be an [`Owner`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an owner is a text of 1 to {OWNER_BYTES} bytes, and this one has {0}")]
pub struct BadOwner(usize);

impl Owner {
    /// An owner of this name.
    ///
    /// # Errors
    /// The name is empty or longer than 256 bytes.
    pub fn new(name: impl Into<String>) -> Result<Self, BadOwner> {
        let name = name.into();
        if (1..=OWNER_BYTES).contains(&name.len()) {
            Ok(Self(name))
        } else {
            Err(BadOwner(name.len()))
        }
    }

    /// The user this process runs as. By number where there are numbers:
    /// desktop clients start servers with and without `USER` set, and the same
    /// person must find their artifacts either way.
    #[must_use]
    pub fn local() -> Self {
        #[cfg(unix)]
        let user = rustix::process::getuid().as_raw().to_string();
        #[cfg(not(unix))]
        let user = std::env::var("USERNAME").unwrap_or_else(|_| "user".to_owned());
        Self(format!("local:{}", user.chars().take(60).collect::<String>()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of this owner's artifacts. A hash, because the name is text of
    /// others' making and file systems differ in what names they tell apart.
    pub(super) fn folder(&self) -> String {
        blake3::hash(self.0.as_bytes()).to_hex()[..32].to_owned()
    }
}

impl TryFrom<String> for Owner {
    type Error = BadOwner;

    fn try_from(name: String) -> Result<Self, BadOwner> {
        Self::new(name)
    }
}

impl From<Owner> for String {
    fn from(owner: Owner) -> String {
        owner.0
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_one_spelling() {
        let good = "data_0123456789abcdef0123456789abcdef";
        assert_eq!(good.parse::<DataRef>().unwrap().to_string(), good);
        for bad in [
            "",
            "data_",
            "data_0123456789abcdef0123456789abcde",
            "data_0123456789abcdef0123456789abcdef0",
            "data_0123456789ABCDEF0123456789ABCDEF",
            "DATA_0123456789abcdef0123456789abcdef",
            " data_0123456789abcdef0123456789abcdef",
            "data_0123456789abcdef0123456789abcdef\n",
            "data_0123456789abcdef0123456789abcdeg",
            "data_../../../../../../../../etc/pass",
            "data_0123456789abcdef0123456789abcd/.",
            "data_0123456789abcdef0123456789abcd\0f",
            "data_٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥",
            "data_0123456789аbcdef0123456789abcde",
            "../data_0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(bad.parse::<DataRef>(), Err(BadDataRef), "{bad:?}");
            let json = serde_json::to_string(bad).unwrap();
            assert!(serde_json::from_str::<DataRef>(&json).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn references_are_random() {
        let many: std::collections::HashSet<_> =
            (0..1000).map(|_| DataRef::random().unwrap()).collect();
        assert_eq!(many.len(), 1000);
        assert!(many.iter().all(|r| r.as_str().parse::<DataRef>().is_ok()));
    }

    #[test]
    fn owners_have_a_length() {
        assert!(Owner::new("").is_err());
        assert!(Owner::new("x".repeat(257)).is_err());
        assert_eq!(Owner::new("x".repeat(256)).unwrap().as_str().len(), 256);
        assert!(serde_json::from_str::<Owner>("\"\"").is_err());
        assert!(Owner::local().as_str().starts_with("local:"));
        assert_eq!(Owner::local(), Owner::local());
    }

    #[test]
    fn an_owner_never_names_a_path() {
        let folder = Owner::new("../../etc").unwrap().folder();
        assert_eq!(folder.len(), 32);
        assert!(folder.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(folder, Owner::new("../../etC").unwrap().folder());
    }
}
