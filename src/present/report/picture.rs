//! A picture as an address that holds all of it.

/// The kinds of pictures that a page shows, by their endings.
const KINDS: [(&str, &str); 6] = [
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
];
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The address of a picture; `None` if a file of this name is none.
#[must_use]
pub fn data_uri(name: &str, bytes: &[u8]) -> Option<String> {
    let (_, ending) = name.rsplit_once('.')?;
    let (_, kind) = KINDS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known))?;
    let mut uri = String::with_capacity(bytes.len().div_ceil(3) * 4 + 32);
    uri.extend(["data:", kind, ";base64,"]);
    for part in bytes.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            uri.push(if at <= part.len() { char::from(digit) } else { '=' });
        }
    }
    Some(uri)
}
