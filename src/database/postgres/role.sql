-- What the role may do besides reading: a row for each right too many, with the SQL that
-- takes it away. A right may be the role's own, everybody's (PUBLIC), or that of a role which
-- it is a member of and can become.
WITH RECURSIVE mine (oid) AS (
  SELECT r.oid FROM pg_catalog.pg_roles r
  WHERE r.rolname::text IN (current_user::text, session_user::text)
  UNION
  SELECT m.roleid FROM pg_catalog.pg_auth_members m JOIN mine ON m.member = mine.oid
),
-- Who a right was given to: one of these, or everybody.
grantees (oid, name) AS (
  SELECT r.oid, pg_catalog.quote_ident(r.rolname)
  FROM mine JOIN pg_catalog.pg_roles r ON r.oid = mine.oid
  UNION ALL SELECT 0::oid, 'PUBLIC'
),
me (name) AS (SELECT pg_catalog.quote_ident(current_user::text)),
-- An attribute that it has, or gets by becoming another role.
attributes AS (
  SELECT r.rolname, a.what, a.word FROM mine
  JOIN pg_catalog.pg_roles r ON r.oid = mine.oid
  CROSS JOIN LATERAL (VALUES
    (r.rolsuper, 'is a superuser', 'NOSUPERUSER'),
    (r.rolcreaterole, 'may create roles', 'NOCREATEROLE'),
    (r.rolcreatedb, 'may create databases', 'NOCREATEDB'),
    (r.rolreplication, 'may replicate the whole server', 'NOREPLICATION'),
    (r.rolbypassrls, 'passes by the policies of rows', 'NOBYPASSRLS')
  ) AS a (holds, what, word) WHERE a.holds
),
spaces AS (
  SELECT n.oid, n.nspname, n.nspowner, n.nspacl FROM pg_catalog.pg_namespace n
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
),
relations AS (
  SELECT c.oid, c.relowner, c.relacl, c.relkind,
         pg_catalog.format('%I.%I', n.nspname, c.relname) AS name
  FROM pg_catalog.pg_class c JOIN spaces n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p', 'S')
),
faults (place, what, mend) AS (
  SELECT 1, a.what || CASE WHEN a.rolname::text = current_user::text THEN ''
                      ELSE ', as a member of ' || a.rolname END,
         CASE WHEN a.rolname::text = current_user::text
              THEN pg_catalog.format('ALTER ROLE %I %s;', a.rolname, a.word)
              ELSE pg_catalog.format('REVOKE %I FROM %s;', a.rolname, me.name) END
  FROM attributes a, me
  UNION ALL
  SELECT 2, 'is a member of ' || r.rolname, pg_catalog.format('REVOKE %I FROM %s;', r.rolname, me.name)
  FROM me, mine JOIN pg_catalog.pg_roles r ON r.oid = mine.oid
  WHERE r.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files',
    'pg_write_server_files', 'pg_signal_backend', 'pg_checkpoint', 'pg_maintain',
    'pg_create_subscription')
  UNION ALL
  SELECT 3, pg_catalog.format('owns the database %I', d.datname),
         pg_catalog.format('ALTER DATABASE %I OWNER TO another_role;', d.datname)
  FROM pg_catalog.pg_database d JOIN mine ON d.datdba = mine.oid
  WHERE d.datname = pg_catalog.current_database()
  UNION ALL
  SELECT 4, pg_catalog.format('owns the schema %I', s.nspname),
         pg_catalog.format('ALTER SCHEMA %I OWNER TO another_role;', s.nspname)
  FROM spaces s JOIN mine ON s.nspowner = mine.oid
  UNION ALL
  SELECT 5, pg_catalog.format('owns %s', c.name),
         pg_catalog.format('ALTER TABLE %s OWNER TO another_role;', c.name)
  FROM relations c JOIN mine ON c.relowner = mine.oid
  UNION ALL
  SELECT 6, pg_catalog.format('may %s %s', pg_catalog.string_agg(DISTINCT a.privilege_type, ', '), c.name),
         pg_catalog.format('REVOKE %s ON %s%s FROM %s;',
           pg_catalog.string_agg(DISTINCT a.privilege_type, ', '),
           CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE '' END, c.name, g.name)
  FROM relations c, LATERAL pg_catalog.aclexplode(c.relacl) a
  JOIN grantees g ON g.oid = a.grantee
  WHERE a.privilege_type <> 'SELECT' AND c.relowner NOT IN (SELECT oid FROM mine)
  GROUP BY c.name, c.relkind, g.name
  UNION ALL
  SELECT 7, pg_catalog.format('may %s the column %I of %s', a.privilege_type, t.attname, c.name),
         pg_catalog.format('REVOKE %s (%I) ON %s FROM %s;', a.privilege_type, t.attname, c.name, g.name)
  FROM relations c JOIN pg_catalog.pg_attribute t ON t.attrelid = c.oid,
       LATERAL pg_catalog.aclexplode(t.attacl) a
  JOIN grantees g ON g.oid = a.grantee
  WHERE a.privilege_type <> 'SELECT' AND c.relowner NOT IN (SELECT oid FROM mine)
  UNION ALL
  SELECT 8, pg_catalog.format('may create in the schema %I', s.nspname),
         pg_catalog.format('REVOKE CREATE ON SCHEMA %I FROM %s;', s.nspname, g.name)
  FROM spaces s, LATERAL pg_catalog.aclexplode(s.nspacl) a
  JOIN grantees g ON g.oid = a.grantee
  WHERE a.privilege_type = 'CREATE' AND s.nspowner NOT IN (SELECT oid FROM mine)
  UNION ALL
  SELECT 9, CASE a.privilege_type WHEN 'CREATE' THEN 'may create schemas in the database'
                                  ELSE 'may make temporary tables in the database' END,
         pg_catalog.format('REVOKE %s ON DATABASE %I FROM %s;', a.privilege_type, d.datname, g.name)
  FROM pg_catalog.pg_database d,
       LATERAL pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) a
  JOIN grantees g ON g.oid = a.grantee
  WHERE d.datname = pg_catalog.current_database() AND a.privilege_type IN ('CREATE', 'TEMPORARY')
    AND d.datdba NOT IN (SELECT oid FROM mine)
  UNION ALL
  SELECT 10, pg_catalog.format('may call %s, which acts with the rights of its owner', f.name),
         pg_catalog.format('REVOKE EXECUTE ON ROUTINE %s FROM %s;', f.name, g.name)
  FROM (SELECT p.proacl, p.proowner,
               pg_catalog.format('%I.%I(%s)', s.nspname, p.proname,
                 pg_catalog.pg_get_function_identity_arguments(p.oid)) AS name
        FROM pg_catalog.pg_proc p JOIN spaces s ON s.oid = p.pronamespace
        WHERE p.prosecdef AND s.nspname::text = ANY ($1)) f,
       LATERAL pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) a
  JOIN grantees g ON g.oid = a.grantee
  WHERE a.privilege_type = 'EXECUTE'
)
SELECT what::text, mend::text FROM faults ORDER BY place, what, mend LIMIT 200
