-- What the tools look for, so that a question costs milliseconds on ten million tasks. In a
-- database that is in use, write CREATE INDEX CONCURRENTLY, one statement at a time.
CREATE INDEX IF NOT EXISTS task_instance_failures_of_run ON public.task_instance (run_id)
    WHERE state IN ('failed', 'upstream_failed');
CREATE INDEX IF NOT EXISTS task_instance_failed_at ON public.task_instance (end_date)
    WHERE state = 'failed';
CREATE INDEX IF NOT EXISTS task_log_errors
    ON public.task_log (run_id, task_id, map_index, try_number, id)
    WHERE level IN ('ERROR', 'CRITICAL');
