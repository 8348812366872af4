-- Tables as a team may keep them by itself, for trying the pack in an empty database. Where
-- there are real ones, leave this file and 2-data.sql out, and change sql/2-views.sql.
CREATE TABLE public.pipeline_run (
    run_id uuid PRIMARY KEY,
    pipeline text NOT NULL,
    status text NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz
);

CREATE TABLE public.task_attempt (
    run_id uuid NOT NULL,
    pipeline text NOT NULL,
    task text NOT NULL,
    attempt integer NOT NULL,
    is_last boolean NOT NULL,
    status text NOT NULL,
    ended_at timestamptz,
    error_class text,
    error_message text,
    PRIMARY KEY (run_id, task, attempt)
);
