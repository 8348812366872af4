-- What the tools look for, so that a question costs milliseconds on ten million tasks. In a
-- database that is in use, write CREATE INDEX CONCURRENTLY, one statement at a time.
CREATE INDEX IF NOT EXISTS task_attempt_failures_of_run ON public.task_attempt (run_id)
    WHERE is_last AND status IN ('failed', 'blocked');
CREATE INDEX IF NOT EXISTS task_attempt_failed_at ON public.task_attempt (ended_at)
    WHERE is_last AND status = 'failed';
