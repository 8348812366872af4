//! What a query's author allows in a comment: `/* allow: fanout(orders, items) */`.

/// See the module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Allowed {
    fanout: Vec<String>,
}

impl Allowed {
    pub(super) fn of(comments: &[String]) -> Self {
        let mut allowed = Self::default();
        for comment in comments {
            let Some(rest) = comment.trim().strip_prefix("allow:") else { continue };
            for part in rest.split(')') {
                let Some((what, names)) = part.split_once('(') else { continue };
                if what.trim_matches([' ', ',', ';']).eq_ignore_ascii_case("fanout") {
                    let names = names.split(',').map(|name| name.trim().trim_matches('"'));
                    allowed.fanout.extend(names.filter(|n| !n.is_empty()).map(str::to_lowercase));
                }
            }
        }
        allowed
    }

    /// Whether a table, by its name or its alias, may be multiplied.
    pub(super) fn fanout(&self, name: &str, alias: Option<&str>) -> bool {
        let is = |wanted: &str| self.fanout.iter().any(|allowed| *allowed == wanted.to_lowercase());
        is(name) || alias.is_some_and(is)
    }
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
        for none in ["fanout(orders)", "allow: units(orders)", "allow: fanout", "allow: fanout()"] {
            assert_eq!(allowed(none), Allowed::default(), "{none}");
        }
    }
}
