-- Invented: forty runs of four pipelines in the last two days, of which five failed. Three of
-- them in `events.load_events`, which could not reach a database, on which two pipelines
-- depend. One error has a password in it, to see it blacked out.
INSERT INTO public.pipeline_run (run_id, pipeline, status, started_at, ended_at)
SELECT md5('run ' || n)::uuid,
       (ARRAY['events', 'billing', 'sessions', 'reports'])[1 + n % 4],
       CASE WHEN n IN (4, 8, 12, 5, 6) THEN 'failed' ELSE 'success' END,
       now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '20 minutes'
FROM generate_series(1, 40) AS n;

INSERT INTO public.task_attempt (run_id, pipeline, task, attempt, is_last, status, ended_at)
SELECT r.run_id, r.pipeline, t.task, 1, true, 'success', r.ended_at
FROM public.pipeline_run r
JOIN (VALUES ('events', 'extract_events'), ('events', 'load_events'), ('events', 'publish_events'),
             ('billing', 'load_orders'), ('billing', 'make_invoices'),
             ('sessions', 'build_sessions'), ('reports', 'daily_report')) AS t (pipeline, task)
  ON t.pipeline = r.pipeline;

UPDATE public.task_attempt a SET status = 'failed', attempt = 3,
    error_class = CASE a.task WHEN 'load_events' THEN 'ConnectionTimeout'
                              WHEN 'load_orders' THEN 'KeyError' ELSE 'MemoryError' END,
    error_message = CASE a.task WHEN 'load_events' THEN
            'psycopg.errors.ConnectionTimeout: could not reach '
            || 'postgres://loader:hunter2-not-a-real-one@warehouse-1.internal:5432/events after 30 s'
        WHEN 'load_orders' THEN 'KeyError: ''order_id'''
        ELSE 'MemoryError: sessions of one day do not fit' END
FROM public.pipeline_run r
WHERE r.run_id = a.run_id AND r.status = 'failed'
  AND a.task IN ('load_events', 'load_orders', 'build_sessions');
UPDATE public.task_attempt a SET status = 'blocked'
FROM public.pipeline_run r
WHERE r.run_id = a.run_id AND r.status = 'failed' AND a.task IN ('publish_events', 'make_invoices');

INSERT INTO triage.node (node, kind)
SELECT DISTINCT a.pipeline || '.' || a.task, 'task' FROM public.task_attempt a
UNION SELECT DISTINCT r.pipeline, 'pipeline' FROM public.pipeline_run r
UNION VALUES ('warehouse.events', 'table'), ('board/weekly', 'report');

-- A cycle, too: reports feed sessions, and sessions reports.
INSERT INTO triage.dependency (upstream, downstream) VALUES
    ('events.extract_events', 'events.load_events'),
    ('events.load_events', 'events.publish_events'),
    ('events.load_events', 'warehouse.events'),
    ('warehouse.events', 'sessions'),
    ('warehouse.events', 'reports'),
    ('sessions', 'reports'),
    ('reports', 'sessions'),
    ('reports', 'board/weekly'),
    ('billing.load_orders', 'billing.make_invoices');
