//! Colours: of the series, of the page, of a heatmap.
//!
//! The series' colours are Okabe and Ito's hues, which people who see no red or no green can
//! tell apart, darkened for white paper and lightened for black until each has a contrast of
//! at least 3:1 with the page (a test computes it). Neighbours differ in lightness as well.

use super::look::Theme;

/// The colours of a theme.
#[derive(Debug)]
pub(super) struct Palette {
    pub page: &'static str,
    pub text: &'static str,
    pub muted: &'static str,
    pub grid: &'static str,
    pub axis: &'static str,
    /// Behind cells of a heatmap that have no value.
    pub nothing: &'static str,
    pub series: [&'static str; 10],
    /// From little to much.
    pub ramp: [[u8; 3]; 5],
    /// From far below zero to far above.
    pub diverging: [[u8; 3]; 5],
}

const LIGHT: Palette = Palette {
    page: "#ffffff",
    text: "#1c2127",
    muted: "#5c6570",
    grid: "#e4e7eb",
    axis: "#8a929c",
    nothing: "#eef0f2",
    series: [
        "#0069a8", "#d1540b", "#00875f", "#b4508f", "#946a00", "#2a93c4", "#5a4aa0", "#a3283c",
        "#5f7d17", "#6e7781",
    ],
    ramp: [[233, 242, 249], [166, 205, 229], [84, 158, 205], [16, 103, 168], [5, 48, 97]],
    diverging: [[178, 76, 10], [238, 169, 110], [245, 245, 245], [125, 180, 217], [5, 88, 152]],
};

const DARK: Palette = Palette {
    page: "#14181d",
    text: "#e8eaed",
    muted: "#a3acb7",
    grid: "#2c333b",
    axis: "#6f7984",
    nothing: "#1f252c",
    series: [
        "#58b4ea", "#ff8b45", "#2fc595", "#e58fc4", "#e3b23c", "#8fd8ea", "#a798f2", "#f4707f",
        "#a9c954", "#a9b2bc",
    ],
    ramp: [[24, 38, 54], [22, 72, 116], [36, 118, 178], [98, 176, 226], [205, 234, 252]],
    diverging: [[255, 149, 79], [158, 84, 38], [48, 54, 61], [36, 98, 146], [110, 190, 245]],
};

/// Dashes that tell the second and third ten of series from the first.
const DASHES: [&str; 3] = ["", "6 4", "2 3"];

impl Palette {
    pub fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    pub fn series(&self, index: usize) -> &'static str {
        self.series[index % self.series.len()]
    }

    pub fn dash(&self, index: usize) -> &'static str {
        DASHES[(index / self.series.len()).min(DASHES.len() - 1)]
    }

    /// The colour at a share of a ramp.
    pub fn blend(stops: &[[u8; 3]; 5], share: f64) -> String {
        let place = share.clamp(0.0, 1.0) * 4.0;
        let at = (place.floor() as usize).min(3);
        let part = place - at as f64;
        let mix = |i: usize| {
            let (from, to) = (f64::from(stops[at][i]), f64::from(stops[at + 1][i]));
            (from + (to - from) * part).round() as u8
        };
        format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
    }

    /// Black or white, whichever is read better on a colour.
    pub fn ink_on(colour: &str) -> &'static str {
        if contrast(colour, "#ffffff") >= contrast(colour, "#14181d") {
            "#ffffff"
        } else {
            "#14181d"
        }
    }
}

/// How light a colour is, after WCAG, but with a gamma of two: no power function whose last
/// digit depends on the machine.
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let digits = colour.get(at..at + 2).unwrap_or("00");
        let value = f64::from(u8::from_str_radix(digits, 16).unwrap_or(0)) / 255.0;
        value * value
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

/// The contrast of two colours.
pub(super) fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG's own definition, with its power.
    fn wcag(colour: &str) -> f64 {
        let part = |at: usize| {
            let value =
                f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("hex")) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn ratio(one: &str, other: &str) -> f64 {
        let (one, other) = (wcag(one), wcag(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_colour_can_be_seen_on_its_page() {
        for palette in [&LIGHT, &DARK] {
            for colour in palette.series {
                assert!(ratio(colour, palette.page) >= 3.0, "{colour} on {}", palette.page);
            }
            for text in [palette.text, palette.muted] {
                assert!(ratio(text, palette.page) >= 4.5, "{text} on {}", palette.page);
            }
        }
    }

    /// Viénot, Brettel and Mollon's matrices for those who see no red, and no green.
    #[test]
    fn the_first_colours_differ_for_those_who_see_no_red_or_no_green() {
        let linear = |colour: &str| {
            [1, 3, 5].map(|at| {
                let v = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("hex"));
                (v / 255.0).powf(2.2)
            })
        };
        let seen = |[r, g, b]: [f64; 3], kind: usize| {
            let [p, q, s, t] =
                [[0.11238, 0.88762, 0.00401, -0.00401], [0.29275, 0.70725, -0.02234, 0.02234]]
                    [kind];
            [p * r + q * g, p * r + q * g, s * r + t * g + b]
                .map(|v| 255.0 * v.clamp(0.0, 1.0).powf(1.0 / 2.2))
        };
        for palette in [&LIGHT, &DARK] {
            for kind in 0..2 {
                for one in 0..5 {
                    for other in 0..one {
                        let (a, b) = (
                            seen(linear(palette.series[one]), kind),
                            seen(linear(palette.series[other]), kind),
                        );
                        let far: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
                        assert!(
                            far.sqrt() > 25.0,
                            "{} and {} look alike ({kind}): {}",
                            palette.series[one],
                            palette.series[other],
                            far.sqrt()
                        );
                    }
                }
            }
        }
    }
}
