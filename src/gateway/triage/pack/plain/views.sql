-- What the assistant can see: five views, each with no more than a question needs. They read
-- with their owner's rights, so the role needs none on the tables behind them.

CREATE OR REPLACE VIEW triage.assistant_runs WITH (security_barrier) AS
SELECT r.run_id, r.pipeline, r.status AS state, r.started_at, r.ended_at
FROM public.pipeline_run r;

-- Tasks whose last attempt failed, and tasks that did not run because of these.
CREATE OR REPLACE VIEW triage.assistant_task_failures WITH (security_barrier) AS
SELECT a.run_id, a.pipeline, a.task, a.pipeline || '.' || a.task AS node,
       NULL::integer AS map_index, a.attempt AS try_number,
       CASE a.status WHEN 'blocked' THEN 'upstream_failed' ELSE a.status END AS state,
       a.ended_at AS failed_at,
       CASE WHEN a.status = 'failed' THEN coalesce(a.error_class, 'unknown') END AS error_class,
       CASE WHEN a.status = 'failed' THEN a.error_message END AS error
FROM public.task_attempt a
WHERE a.is_last AND a.status IN ('failed', 'blocked');

-- The same without texts, to be grouped.
CREATE OR REPLACE VIEW triage.assistant_recent_failures WITH (security_barrier) AS
SELECT a.run_id, a.pipeline, a.task, a.pipeline || '.' || a.task AS node,
       a.ended_at AS failed_at, coalesce(a.error_class, 'unknown') AS error_class
FROM public.task_attempt a
WHERE a.is_last AND a.status = 'failed';

CREATE OR REPLACE VIEW triage.assistant_nodes WITH (security_barrier) AS
SELECT n.node, n.kind FROM triage.node n;

CREATE OR REPLACE VIEW triage.assistant_dependencies WITH (security_barrier) AS
SELECT d.upstream, d.downstream FROM triage.dependency d;
