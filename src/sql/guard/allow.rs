//! What a query's author allows in a comment: `/* allow: fanout(orders, items) */`,
//! `/* allow: units(payments) */`.

/// See the module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Allowed {
    fanout: Vec<String>,
    units: Vec<String>,
}

impl Allowed {
    pub(super) fn of(comments: &[String]) -> Self {
        let mut allowed = Self::default();
        for comment in comments {
            let Some(rest) = comment.trim().strip_prefix("allow:") else { continue };
            for part in rest.split(')') {
                let Some((what, names)) = part.split_once('(') else { continue };
                let list = match what.trim_matches([' ', ',', ';']).to_lowercase().as_str() {
                    "fanout" => &mut allowed.fanout,
                    "units" => &mut allowed.units,
                    _ => continue,
                };
                let names = names.split(',').map(|name| name.trim().trim_matches('"'));
                list.extend(names.filter(|n| !n.is_empty()).map(str::to_lowercase));
            }
        }
        allowed
    }

    /// Whether a table, by its name or its alias, may be multiplied.
    pub(super) fn fanout(&self, name: &str, alias: Option<&str>) -> bool {
        has(&self.fanout, name, alias)
    }

    /// Whether the units of a table, by its name or its alias, may be mixed.
    pub(super) fn units(&self, name: &str, alias: Option<&str>) -> bool {
        has(&self.units, name, alias)
    }
}

fn has(list: &[String], name: &str, alias: Option<&str>) -> bool {
    let is = |wanted: &str| list.iter().any(|allowed| *allowed == wanted.to_lowercase());
    is(name) || alias.is_some_and(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_allowed() {
        let allowed = |comment: &str| Allowed::of(&[comment.to_owned()]);
        let some = allowed(" allow: fanout(Orders, \"i\") ");
        assert!(some.fanout("orders", None) && some.fanout("items", Some("I")));
        assert!(!some.fanout("customers", None));
        let units = allowed("allow: units(orders), fanout(items)");
        assert!(units.units("Orders", None) && !units.fanout("orders", None));
        assert!(units.fanout("items", None) && !units.units("items", None));
        for none in ["fanout(orders)", "allow: all(orders)", "allow: fanout", "allow: fanout()"] {
            assert_eq!(allowed(none), Allowed::default(), "{none}");
        }
    }
}
