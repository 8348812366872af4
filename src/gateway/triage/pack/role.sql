-- The role that the assistant's tools use: it reads the views and nothing else.
--   psql -v password='…' -f 4-role.sql
CREATE ROLE dataroom_triage LOGIN NOINHERIT CONNECTION LIMIT 8 PASSWORD :'password';
ALTER ROLE dataroom_triage SET default_transaction_read_only = on;
ALTER ROLE dataroom_triage SET statement_timeout = '10s';

-- What everybody may do in a database that was made with the defaults. Others who need
-- temporary tables are to be granted them by name.
DO $$ BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

GRANT USAGE ON SCHEMA triage TO dataroom_triage;
GRANT SELECT ON triage.assistant_runs, triage.assistant_task_failures,
    triage.assistant_recent_failures, triage.assistant_nodes, triage.assistant_dependencies
    TO dataroom_triage;
