//! What a column's name says of it.

use super::Kind;

/// Words, or words one after another, that name what is sensitive.
const NAMES: &[(&str, Kind)] = &[
    ("email", Kind::Mail),
    ("e mail", Kind::Mail),
    ("mail", Kind::Mail),
    ("emailaddress", Kind::Mail),
    ("почта", Kind::Mail),
    ("phone", Kind::Phone),
    ("telephone", Kind::Phone),
    ("tel", Kind::Phone),
    ("mobile", Kind::Phone),
    ("msisdn", Kind::Phone),
    ("fax", Kind::Phone),
    ("телефон", Kind::Phone),
    ("card number", Kind::Card),
    ("card no", Kind::Card),
    ("cardnumber", Kind::Card),
    ("credit card", Kind::Card),
    ("cc number", Kind::Card),
    ("pan", Kind::Card),
    ("cvv", Kind::Card),
    ("cvc", Kind::Card),
    ("iban", Kind::Iban),
    ("bank account", Kind::Iban),
    ("account number", Kind::Iban),
    ("ssn", Kind::NationalId),
    ("social security", Kind::NationalId),
    ("national id", Kind::NationalId),
    ("nationalid", Kind::NationalId),
    ("passport", Kind::NationalId),
    ("nino", Kind::NationalId),
    ("snils", Kind::NationalId),
    ("снилс", Kind::NationalId),
    ("inn", Kind::NationalId),
    ("инн", Kind::NationalId),
    ("паспорт", Kind::NationalId),
    ("tax id", Kind::NationalId),
    ("taxid", Kind::NationalId),
    ("pesel", Kind::NationalId),
    ("cpf", Kind::NationalId),
    ("aadhaar", Kind::NationalId),
    ("bsn", Kind::NationalId),
    ("codice fiscale", Kind::NationalId),
    ("driver license", Kind::NationalId),
    ("drivers license", Kind::NationalId),
    ("password", Kind::Secret),
    ("passwd", Kind::Secret),
    ("pwd", Kind::Secret),
    ("secret", Kind::Secret),
    ("token", Kind::Secret),
    ("api key", Kind::Secret),
    ("apikey", Kind::Secret),
    ("private key", Kind::Secret),
    ("access key", Kind::Secret),
    ("credentials", Kind::Secret),
    ("пароль", Kind::Secret),
];

/// Words that make a name one about such a thing, and not the thing.
const ABOUT: &[&str] = &[
    "count",
    "cnt",
    "num",
    "is",
    "has",
    "sent",
    "opened",
    "verified",
    "confirmed",
    "status",
    "type",
    "date",
    "at",
    "time",
    "provider",
    "domain",
    "length",
    "flag",
    "enabled",
    "tokens",
    "model",
    "brand",
    "network",
    "cost",
    "plan",
    "opt",
    "valid",
    "rate",
    "share",
];

/// What a name says that its column holds; `texts` or numbers (a flag and a time hold
/// nothing of the kind).
pub(in crate::profile) fn by_name(words: &[String]) -> Option<Kind> {
    if words.iter().any(|word| ABOUT.contains(&word.as_str())) {
        return None;
    }
    let joined = format!(" {} ", words.join(" "));
    let named = NAMES.iter().find(|(name, _)| joined.contains(&format!(" {name} ")));
    named.map(|(_, kind)| *kind)
}
