//! What a role may do, from `SHOW GRANTS`: reading, and nothing else.
//!
//! Rights are listed that are harmless; any other is a fault, also one that this version of
//! ours has never heard of. Rights of roles that were granted to it count, whether they are
//! switched on or not, because a session can switch them on: each is switched on and looked
//! at. So do those of everybody (`PUBLIC`), and databases that are open without a grant.
//!
//! Nothing is owned in MySQL, so there is no owner to look for.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::error;
use super::grant::{Grant, parse};
use super::session::{Flavor, rows};
use crate::database::{DatabaseError, RoleFault};

/// What a role may do that changes nothing and shows no value.
const HARMLESS: &[&str] = &["USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES"];

/// Roles that are looked at, at most.
const ROLES: usize = 100;

/// The name of the role, and its faults.
pub(super) async fn faults(
    conn: &mut Conn,
    flavor: Flavor,
) -> Result<(String, Vec<RoleFault>), DatabaseError> {
    let name: Vec<(String,)> = rows(conn, "SELECT CURRENT_USER() AS a", Vec::new()).await?;
    let name = name.into_iter().next().map(|(name,)| name).unwrap_or_default();
    let grants = all_grants(conn, flavor).await?;
    let mut faults: Vec<RoleFault> = Vec::new();
    for fault in grants.iter().flat_map(of_grant) {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults.extend(open_databases(conn, &grants).await?);
    Ok((name, faults))
}

/// Its own grants and those of each role that it can switch on.
async fn all_grants(conn: &mut Conn, flavor: Flavor) -> Result<Vec<Grant>, DatabaseError> {
    let mut grants = show(conn, "SHOW GRANTS").await?;
    let mut looked_at: Vec<String> = Vec::new();
    while looked_at.len() < ROLES {
        let named = grants.iter().filter_map(|grant| match grant {
            Grant::Roles { roles, .. } => Some(roles),
            _ => None,
        });
        let Some(next) = named.flatten().find(|role| !looked_at.contains(role)).cloned() else {
            break;
        };
        let more = match flavor {
            Flavor::MariaDb => {
                let switched = conn.query_drop(format!("SET ROLE {next}")).await;
                match switched {
                    Ok(()) => show(conn, "SHOW GRANTS").await?,
                    // A role of a role: its rights were shown with the outer one's.
                    Err(_) => Vec::new(),
                }
            }
            Flavor::MySql => {
                show(conn, &format!("SHOW GRANTS FOR CURRENT_USER() USING {next}")).await?
            }
        };
        grants.extend(more.into_iter().filter(|grant| !grants.contains(grant)).collect::<Vec<_>>());
        looked_at.push(next);
    }
    Ok(grants)
}

async fn show(conn: &mut Conn, statement: &str) -> Result<Vec<Grant>, DatabaseError> {
    let lines: Vec<String> = conn.query(statement).await.map_err(|error| error::of(&error))?;
    Ok(lines.iter().map(|line| parse(line)).collect())
}

/// What is too much in one grant.
fn of_grant(grant: &Grant) -> Vec<RoleFault> {
    match grant {
        Grant::Rights { rights, object, to, passes_on } => {
            let mut faults: Vec<_> = rights
                .iter()
                .filter(|right| !is_harmless(right))
                .map(|right| RoleFault {
                    what: format!("may {right} on {object}"),
                    mend: mend(right, object, to),
                })
                .collect();
            if *passes_on {
                faults.push(RoleFault {
                    what: format!("may pass its rights on {object} on to others"),
                    mend: format!("REVOKE GRANT OPTION ON {object} FROM {to};"),
                });
            }
            if rights.iter().any(|right| right.starts_with("SELECT")) && grant.covers("mysql") {
                faults.push(RoleFault {
                    what: format!("may read {object}, and with it the server's own tables (mysql)"),
                    mend: format!(
                        "REVOKE SELECT ON {object} FROM {to}; \
                         -- then GRANT SELECT ON each database that is to be read"
                    ),
                });
            }
            faults
        }
        Grant::Roles { .. } | Grant::Nothing => Vec::new(),
        Grant::Unknown(line) => vec![RoleFault {
            what: format!("has a right that is not known here: {line}"),
            mend: "-- revoke it, or make a role that has SELECT only".to_owned(),
        }],
    }
}

fn is_harmless(right: &str) -> bool {
    let base = right.split('(').next().unwrap_or(right).trim();
    HARMLESS.contains(&base)
}

fn mend(right: &str, object: &str, to: &str) -> String {
    match right {
        "ALL PRIVILEGES" => format!(
            "REVOKE ALL PRIVILEGES ON {object} FROM {to}; GRANT SELECT ON {object} TO {to};"
        ),
        _ => format!("REVOKE {right} ON {object} FROM {to};"),
    }
}

/// Databases that it sees and has no grant for: rights of an anonymous user, as old
/// installations give everybody on `test`.
async fn open_databases(
    conn: &mut Conn,
    grants: &[Grant],
) -> Result<Vec<RoleFault>, DatabaseError> {
    let visible: Vec<(String,)> =
        rows(conn, "SELECT schema_name AS a FROM information_schema.schemata", Vec::new()).await?;
    let own = ["information_schema", "performance_schema"];
    Ok(visible
        .into_iter()
        .map(|(name,)| name)
        .filter(|name| !own.contains(&name.as_str()))
        .filter(|name| !grants.iter().any(|grant| grant.covers(name)))
        .map(|name| RoleFault {
            what: format!("may use the database {name} without a grant, as anybody may"),
            mend: "DELETE FROM mysql.db WHERE User = ''; FLUSH PRIVILEGES;".to_owned(),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_that_are_too_many_have_the_sql_that_mends_them() {
        for (line, what, mend) in [
            (
                "GRANT SELECT, INSERT ON `shop`.* TO `ro`@`%`",
                "may INSERT on `shop`.*",
                "REVOKE INSERT ON `shop`.* FROM `ro`@`%`;",
            ),
            (
                "GRANT FILE ON *.* TO `ro`@`%` IDENTIFIED BY PASSWORD '*D8'",
                "may FILE on *.*",
                "REVOKE FILE ON *.* FROM `ro`@`%`;",
            ),
            (
                "GRANT SELECT (`id`), UPDATE (`a`, `b`) ON `shop`.`t` TO `ro`@`%`",
                "may UPDATE (`a`, `b`) on `shop`.`t`",
                "REVOKE UPDATE (`a`, `b`) ON `shop`.`t` FROM `ro`@`%`;",
            ),
            (
                "GRANT USAGE ON *.* TO `ro`@`%` WITH GRANT OPTION",
                "may pass its rights on *.* on to others",
                "REVOKE GRANT OPTION ON *.* FROM `ro`@`%`;",
            ),
            (
                "GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `r`",
                "may EXECUTE on PROCEDURE `shop`.`p`",
                "REVOKE EXECUTE ON PROCEDURE `shop`.`p` FROM `r`;",
            ),
        ] {
            let faults = of_grant(&parse(line));
            assert_eq!(faults.len(), 1, "{line}: {faults:?}");
            assert_eq!((faults[0].what.as_str(), faults[0].mend.as_str()), (what, mend));
        }
    }

    #[test]
    fn reading_is_no_fault_but_of_the_servers_own_tables() {
        for line in [
            "GRANT USAGE ON *.* TO `ro`@`%` IDENTIFIED BY PASSWORD '*D8 ON INSERT'",
            "GRANT SELECT, SHOW VIEW ON `shop`.* TO `ro`@`%`",
            "GRANT SELECT (`INSERT`, `b`) ON `shop`.`t` TO `ro`@`%` REQUIRE SSL",
            "GRANT `reader` TO `ro`@`%`",
            "SET DEFAULT ROLE `reader` FOR `ro`@`%`",
        ] {
            assert_eq!(of_grant(&parse(line)), [], "{line}");
        }
        for line in ["GRANT SELECT ON *.* TO `ro`@`%`", "GRANT SELECT ON `my%`.* TO `ro`@`%`"] {
            assert_eq!(of_grant(&parse(line)).len(), 1, "{line}");
        }
        assert_eq!(of_grant(&parse("GRANT SOMETHING NEW")).len(), 1);
    }
}
