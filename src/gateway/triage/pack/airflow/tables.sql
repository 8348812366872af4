-- Tables like Airflow's, for trying the pack in an empty database. Where there are real ones,
-- leave this file and 2-data.sql out, and change the names in sql/2-views.sql if they differ.
CREATE TABLE public.dag_run (
    run_id uuid PRIMARY KEY,
    dag_id text NOT NULL,
    state text NOT NULL,
    start_date timestamptz,
    end_date timestamptz
);

CREATE TABLE public.task_instance (
    run_id uuid NOT NULL,
    dag_id text NOT NULL,
    task_id text NOT NULL,
    map_index integer NOT NULL DEFAULT -1,
    try_number integer NOT NULL DEFAULT 1,
    state text,
    start_date timestamptz,
    end_date timestamptz,
    PRIMARY KEY (run_id, task_id, map_index)
);

CREATE TABLE public.task_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id uuid NOT NULL,
    task_id text NOT NULL,
    map_index integer NOT NULL DEFAULT -1,
    try_number integer NOT NULL,
    level text NOT NULL,
    message text NOT NULL
);
