-- The history is kept in months from here on. What is there becomes the first part as it is, without a row being moved. That all
-- of it lies before the second next month, or later where a clock once ran ahead, is looked at by the next migration, while
-- others read and write, and believed by the one after it. A database that Citus has spread already stays as it is.
CREATE FUNCTION begin_months() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  latest timestamptz;
BEGIN
  SELECT greatest(now(), to_timestamp(coalesce(max(id), 0) / 1000000)) INTO latest FROM audit_events;
  first := extract(epoch FROM (date_trunc('month', latest AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC') * 1000000;
  IF is_spread('audit_events') THEN
    first := 9223372036854775807;
  END IF;
  EXECUTE format('ALTER TABLE audit_events ADD CONSTRAINT before_months CHECK (id < %s) NOT VALID', first);
  EXECUTE format('ALTER TABLE audit_chain ADD CONSTRAINT before_months CHECK (event_id < %s) NOT VALID', first);
END $$;--> statement-breakpoint
CREATE FUNCTION is_spread(named text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  found boolean := false;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1::regclass)' INTO found USING named;
  END IF;
  RETURN found;
END $$;--> statement-breakpoint
SELECT begin_months();--> statement-breakpoint
DROP FUNCTION begin_months();
