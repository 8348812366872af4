//! What the role may do, and the SQL that takes away what is too much.
//!
//! A session of ours is read-only, but a session can be asked to be otherwise; only a role
//! that has nothing to write is read-only whatever it is told. So a role is refused for each
//! right by which something could be changed anywhere in the database: its own, everybody's,
//! and those of the roles that it can become (`role.sql`).

use super::error::translate;
use super::session::Session;
use crate::database::{Allowed, DatabaseError, RoleFault, RoleReport};

const FAULTS: &str = include_str!("role.sql");
const NAME: &str = "SELECT current_user::text, pg_catalog.current_setting('server_version')";

/// What the role may do.
pub(super) async fn report(
    session: &Session,
    allowed: &Allowed,
) -> Result<RoleReport, DatabaseError> {
    let failed = |error: tokio_postgres::Error| translate(&error);
    let client = session.client()?;
    let name = client.query_one(NAME, &[]).await.map_err(failed)?;
    let (role, version): (String, String) =
        (name.try_get(0).map_err(failed)?, name.try_get(1).map_err(failed)?);
    let schemas = allowed.schemas_to_look_into();
    let mut faults = Vec::new();
    for row in client.query(FAULTS, &[&schemas]).await.map_err(failed)? {
        let (what, mend) = (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
        faults.push(RoleFault { what, mend });
    }
    Ok(RoleReport { role, server: format!("PostgreSQL {version}"), faults })
}
