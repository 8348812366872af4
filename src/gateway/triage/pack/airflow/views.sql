-- What the assistant can see: five views, each with no more than a question needs. They read
-- with their owner's rights, so the role needs none on the tables behind them.

CREATE OR REPLACE VIEW triage.assistant_runs WITH (security_barrier) AS
SELECT r.run_id, r.dag_id AS pipeline, r.state, r.start_date AS started_at, r.end_date AS ended_at
FROM public.dag_run r;

-- Tasks that failed, with the last error of their last try, and tasks that did not run because
-- of these: they have no log, and so no error.
CREATE OR REPLACE VIEW triage.assistant_task_failures WITH (security_barrier) AS
SELECT t.run_id, t.dag_id AS pipeline, t.task_id AS task, t.dag_id || '.' || t.task_id AS node,
       nullif(t.map_index, -1) AS map_index, t.try_number, t.state, t.end_date AS failed_at,
       CASE WHEN t.state = 'failed' THEN coalesce(substring(l.message FROM
           '([A-Za-z_][A-Za-z0-9_]*(?:Error|Exception|Timeout|Refused|Interrupted|Killed))'), 'unknown')
       END AS error_class,
       l.message AS error
FROM public.task_instance t
LEFT JOIN LATERAL (
    SELECT g.message FROM public.task_log g
    WHERE t.state = 'failed' AND g.run_id = t.run_id AND g.task_id = t.task_id
      AND g.map_index = t.map_index AND g.try_number = t.try_number
      AND g.level IN ('ERROR', 'CRITICAL')
    ORDER BY g.id DESC LIMIT 1
) l ON true
WHERE t.state IN ('failed', 'upstream_failed');

-- The same without texts, to be grouped.
CREATE OR REPLACE VIEW triage.assistant_recent_failures WITH (security_barrier) AS
SELECT t.run_id, t.dag_id AS pipeline, t.task_id AS task, t.dag_id || '.' || t.task_id AS node,
       t.end_date AS failed_at,
       coalesce(substring(l.message FROM
           '([A-Za-z_][A-Za-z0-9_]*(?:Error|Exception|Timeout|Refused|Interrupted|Killed))'), 'unknown')
           AS error_class
FROM public.task_instance t
LEFT JOIN LATERAL (
    SELECT g.message FROM public.task_log g
    WHERE g.run_id = t.run_id AND g.task_id = t.task_id
      AND g.map_index = t.map_index AND g.try_number = t.try_number
      AND g.level IN ('ERROR', 'CRITICAL')
    ORDER BY g.id DESC LIMIT 1
) l ON true
WHERE t.state = 'failed';

CREATE OR REPLACE VIEW triage.assistant_nodes WITH (security_barrier) AS
SELECT n.node, n.kind FROM triage.node n;

CREATE OR REPLACE VIEW triage.assistant_dependencies WITH (security_barrier) AS
SELECT d.upstream, d.downstream FROM triage.dependency d;
