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
    ("phonenumber", Kind::Phone),
    ("phoneno", Kind::Phone),
    ("mobileno", Kind::Phone),
    ("cellphone", Kind::Phone),
    ("cell phone", Kind::Phone),
    ("card number", Kind::Card),
    ("card num", Kind::Card),
    ("card no", Kind::Card),
    ("cardnumber", Kind::Card),
    ("cardnum", Kind::Card),
    ("cardno", Kind::Card),
    ("credit card", Kind::Card),
    ("creditcard", Kind::Card),
    ("debit card", Kind::Card),
    ("debitcard", Kind::Card),
    ("payment card", Kind::Card),
    ("cc number", Kind::Card),
    ("cc num", Kind::Card),
    ("cc no", Kind::Card),
    ("ccnumber", Kind::Card),
    ("ccnum", Kind::Card),
    ("ccn", Kind::Card),
    ("номер карты", Kind::Card),
    ("pan", Kind::Card),
    ("cvv", Kind::Card),
    ("cvc", Kind::Card),
    ("iban", Kind::Iban),
    ("bank account", Kind::Iban),
    ("bankaccount", Kind::Iban),
    ("account number", Kind::Iban),
    ("account num", Kind::Iban),
    ("account no", Kind::Iban),
    ("accountnumber", Kind::Iban),
    ("accountno", Kind::Iban),
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

/// Names that many another column has: believed if most of the values look like it, however
/// few there are.
const HINTS: &[(&str, Kind)] = &[
    ("card", Kind::Card),
    ("cards", Kind::Card),
    ("cc", Kind::Card),
    ("карта", Kind::Card),
    ("карты", Kind::Card),
    ("contact", Kind::Phone),
    ("cell", Kind::Phone),
    ("mob", Kind::Phone),
    ("whatsapp", Kind::Phone),
    ("tin", Kind::NationalId),
    ("nif", Kind::NationalId),
    ("nie", Kind::NationalId),
    ("dni", Kind::NationalId),
    ("nhs", Kind::NationalId),
    ("sin", Kind::NationalId),
    ("personnummer", Kind::NationalId),
    ("id number", Kind::NationalId),
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

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::profile) struct Named {
    pub kind: Kind,
    /// Whether it is believed whatever the values are.
    pub is_sure: bool,
}

/// What a name, by its words, says that its column of texts or whole numbers holds.
pub(in crate::profile) fn by_name(words: &[String]) -> Option<Named> {
    let is_about = |word: &String| ABOUT.contains(&word.as_str()) && word != "num";
    if words.iter().any(is_about) || words.first().is_some_and(|word| word == "num") {
        return None;
    }
    let joined = format!(" {} ", words.join(" "));
    let among = |list: &[(&str, Kind)]| {
        let named = list.iter().find(|(name, _)| joined.contains(&format!(" {name} ")));
        named.map(|(_, kind)| *kind)
    };
    let sure = among(NAMES).map(|kind| Named { kind, is_sure: true });
    let named = sure.or(among(HINTS).map(|kind| Named { kind, is_sure: false }))?;
    // `card_num` is a card's number, `email_num` a number of addresses.
    let counts = words.iter().any(|word| word == "num");
    (!counts || !matches!(named.kind, Kind::Mail | Kind::Secret)).then_some(named)
}
