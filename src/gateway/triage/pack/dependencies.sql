-- What depends on what. Fill both tables from wherever you know it: lineage of your warehouse,
-- `depends_on` of your pipelines, a list by hand. `try/2-data.sql` has an example.
CREATE SCHEMA IF NOT EXISTS triage;

CREATE TABLE IF NOT EXISTS triage.node (
    node text PRIMARY KEY CHECK (length(node) BETWEEN 1 AND 200),
    kind text NOT NULL CHECK (kind IN ('task', 'pipeline', 'table', 'report', 'other'))
);

CREATE TABLE IF NOT EXISTS triage.dependency (
    upstream text NOT NULL REFERENCES triage.node ON DELETE CASCADE,
    downstream text NOT NULL REFERENCES triage.node ON DELETE CASCADE,
    PRIMARY KEY (upstream, downstream)
);

CREATE INDEX IF NOT EXISTS dependency_downstream ON triage.dependency (downstream);
