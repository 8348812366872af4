//! Units that are no money.

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// How heavy.
    Mass,
    /// How long or far.
    Length,
    /// How much room.
    Volume,
    /// How long it takes.
    Time,
    /// How warm.
    Temperature,
    /// A part of a whole.
    Share,
}

macro_rules! measures {
    ($($name:ident $dimension:ident $symbol:literal [$($word:literal),*] [$($short:literal),*],)*) => {
        /// A unit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each is its own name")]
        pub enum Measure {
            $($name,)*
        }

        impl Measure {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// What it measures.
            #[must_use]
            pub fn dimension(self) -> Dimension {
                match self {
                    $(Self::$name => Dimension::$dimension,)*
                }
            }

            /// As it is written.
            #[must_use]
            pub fn symbol(self) -> &'static str {
                match self {
                    $(Self::$name => $symbol,)*
                }
            }

            /// Words that mean it wherever they stand at the end of a name or in a cell.
            fn words(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($word),*],)*
                }
            }

            /// Abbreviations that mean it in a cell, and in a name that says what is measured.
            fn short(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($short),*],)*
                }
            }
        }
    };
}

measures! {
    Milligram Mass "mg" ["mg", "milligrams"] ["мг"],
    Gram Mass "g" ["grams", "gram", "gr", "грамм"] ["g", "г"],
    Kilogram Mass "kg" ["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "кг", "килограмм"] [],
    Tonne Mass "t" ["tonne", "tonnes", "тонн", "тонна", "тонны"] ["t", "т", "ton", "tons"],
    Ounce Mass "oz" ["oz", "ounce", "ounces"] [],
    Pound Mass "lb" ["lb", "lbs", "pounds"] [],
    Millimetre Length "mm" ["mm", "millimeters", "millimetres"] ["мм"],
    Centimetre Length "cm" ["cm", "centimeters", "centimetres", "см"] [],
    Metre Length "m" ["meters", "metres", "meter", "metre", "метр", "метров"] ["m", "м"],
    Kilometre Length "km" ["km", "kms", "kilometers", "kilometres", "км"] [],
    Inch Length "in" ["inch", "inches"] ["in"],
    Foot Length "ft" ["ft", "feet"] ["foot"],
    Mile Length "mi" ["mile", "miles"] ["mi", "миль"],
    Millilitre Volume "ml" ["ml", "millilitres", "milliliters"] ["мл"],
    Litre Volume "l" ["liter", "liters", "litre", "litres", "литр", "литров"] ["l", "л"],
    Gallon Volume "gal" ["gallon", "gallons"] ["gal"],
    Millisecond Time "ms" ["ms", "msec", "millis", "milliseconds"] ["мс"],
    Second Time "s" ["sec", "secs", "seconds", "секунд"] ["s", "second", "с", "сек"],
    Minute Time "min" ["mins", "minutes", "минут"] ["min", "minute", "мин"],
    Hour Time "h" ["hrs", "hours", "часов"] ["h", "hr", "hour", "ч"],
    Day Time "days" ["days", "дней"] ["d", "day"],
    Celsius Temperature "°C" ["celsius", "degc", "°c"] ["c"],
    Fahrenheit Temperature "°F" ["fahrenheit", "degf", "°f"] ["f"],
    Percent Share "%" ["pct", "percent", "percentage", "%", "проц", "процент", "процентов"] ["perc"],
    Fraction Share "fraction" ["fraction"] ["share"],
}

/// Words of a name that say what is measured, so that a short unit can be trusted.
const SUBJECTS: &[(&str, Dimension)] = &[
    ("weight", Dimension::Mass),
    ("mass", Dimension::Mass),
    ("gross", Dimension::Mass),
    ("net", Dimension::Mass),
    ("load", Dimension::Mass),
    ("cargo", Dimension::Mass),
    ("freight", Dimension::Mass),
    ("payload", Dimension::Mass),
    ("tonnage", Dimension::Mass),
    ("вес", Dimension::Mass),
    ("масса", Dimension::Mass),
    ("length", Dimension::Length),
    ("width", Dimension::Length),
    ("height", Dimension::Length),
    ("depth", Dimension::Length),
    ("distance", Dimension::Length),
    ("dist", Dimension::Length),
    ("altitude", Dimension::Length),
    ("elevation", Dimension::Length),
    ("diameter", Dimension::Length),
    ("radius", Dimension::Length),
    ("visibility", Dimension::Length),
    ("длина", Dimension::Length),
    ("ширина", Dimension::Length),
    ("высота", Dimension::Length),
    ("расстояние", Dimension::Length),
    ("volume", Dimension::Volume),
    ("capacity", Dimension::Volume),
    ("объем", Dimension::Volume),
    ("объём", Dimension::Volume),
    ("duration", Dimension::Time),
    ("elapsed", Dimension::Time),
    ("latency", Dimension::Time),
    ("runtime", Dimension::Time),
    ("timeout", Dimension::Time),
    ("длительность", Dimension::Time),
    ("temp", Dimension::Temperature),
    ("temperature", Dimension::Temperature),
    ("температура", Dimension::Temperature),
    ("discount", Dimension::Share),
    ("margin", Dimension::Share),
    ("market", Dimension::Share),
    ("скидка", Dimension::Share),
];

impl Measure {
    /// The unit that a cell names; in lower case.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let named =
            |measure: &Self| measure.words().contains(&text) || measure.short().contains(&text);
        Self::ALL.iter().copied().find(named)
    }

    /// The unit that a word of a name stands for, beside its other words.
    pub(super) fn of_word(word: &str, others: &[String]) -> Option<Self> {
        let plain = Self::ALL.iter().copied().find(|measure| measure.words().contains(&word));
        plain.or_else(|| {
            let short = |measure: &Self| {
                let subject =
                    |other: &String| SUBJECTS.contains(&(other.as_str(), measure.dimension()));
                measure.short().contains(&word) && others.iter().any(subject)
            };
            Self::ALL.iter().copied().find(short)
        })
    }

    /// How many of the dimension's base unit it is; `None` where zeros differ.
    pub(super) fn in_base(self) -> Option<f64> {
        Some(match self {
            Self::Milligram => 1e-6,
            Self::Gram | Self::Millimetre | Self::Millilitre | Self::Millisecond => 0.001,
            Self::Kilogram | Self::Metre | Self::Litre | Self::Second | Self::Fraction => 1.0,
            Self::Tonne | Self::Kilometre => 1_000.0,
            Self::Ounce => 0.028_349_523_125,
            Self::Pound => 0.453_592_37,
            Self::Centimetre | Self::Percent => 0.01,
            Self::Inch => 0.025_4,
            Self::Foot => 0.304_8,
            Self::Mile => 1_609.344,
            Self::Gallon => 3.785_411_784,
            Self::Minute => 60.0,
            Self::Hour => 3_600.0,
            Self::Day => 86_400.0,
            Self::Celsius | Self::Fahrenheit => return None,
        })
    }

    /// Whether a name that has this word says how much of the dimension there is.
    pub(super) fn is_subject(word: &str, dimension: Dimension) -> bool {
        SUBJECTS.contains(&(word, dimension))
    }
}
