-- Invented: forty runs of four pipelines in the last two days, of which five failed. Three of
-- them in `events.load_events`, which could not reach a database, on which two pipelines
-- depend. One error has a password in it, to see it blacked out.
INSERT INTO public.dag_run (run_id, dag_id, state, start_date, end_date)
SELECT md5('run ' || n)::uuid,
       (ARRAY['events', 'billing', 'sessions', 'reports'])[1 + n % 4],
       CASE WHEN n IN (4, 8, 12, 5, 6) THEN 'failed' ELSE 'success' END,
       now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '20 minutes'
FROM generate_series(1, 40) AS n;

INSERT INTO public.task_instance (run_id, dag_id, task_id, try_number, state, start_date, end_date)
SELECT r.run_id, r.dag_id, t.task_id, 1, 'success', r.start_date, r.end_date
FROM public.dag_run r
JOIN (VALUES ('events', 'extract_events'), ('events', 'load_events'), ('events', 'publish_events'),
             ('billing', 'load_orders'), ('billing', 'make_invoices'),
             ('sessions', 'build_sessions'), ('reports', 'daily_report')) AS t (dag_id, task_id)
  ON t.dag_id = r.dag_id;

UPDATE public.task_instance t SET state = 'failed', try_number = 3
FROM public.dag_run r
WHERE r.run_id = t.run_id AND r.state = 'failed'
  AND t.task_id IN ('load_events', 'load_orders', 'build_sessions');
UPDATE public.task_instance t SET state = 'upstream_failed', try_number = 0, start_date = NULL
FROM public.dag_run r
WHERE r.run_id = t.run_id AND r.state = 'failed' AND t.task_id IN ('publish_events', 'make_invoices');

INSERT INTO public.task_log (run_id, task_id, try_number, level, message)
SELECT t.run_id, t.task_id, n,
       CASE WHEN n = 0 THEN 'INFO' ELSE 'ERROR' END,
       CASE WHEN n = 0 THEN 'starting'
            WHEN t.task_id = 'load_events' THEN
                'psycopg.errors.ConnectionTimeout: could not reach '
                || 'postgres://loader:hunter2-not-a-real-one@warehouse-1.internal:5432/events after 30 s'
            WHEN t.task_id = 'load_orders' THEN 'KeyError: ''order_id'''
            ELSE 'MemoryError: sessions of one day do not fit' END
FROM public.task_instance t, generate_series(0, 3) AS n
WHERE t.state = 'failed';

INSERT INTO triage.node (node, kind)
SELECT DISTINCT t.dag_id || '.' || t.task_id, 'task' FROM public.task_instance t
UNION SELECT DISTINCT r.dag_id, 'pipeline' FROM public.dag_run r
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
