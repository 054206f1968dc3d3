-- The parts of the history lie in a schema that no login may use, with walls that let nobody through, so that they are reached by
-- the history alone, behind its own walls.
CREATE SCHEMA months;--> statement-breakpoint
CREATE SEQUENCE audit_events_ids;--> statement-breakpoint
GRANT USAGE ON SEQUENCE audit_events_ids TO console_app;--> statement-breakpoint
-- Makes a table's rows the first part of a table of the same name, in a moment.
CREATE FUNCTION part_by_months(named text, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own text := format('months.%I', named || '_first');
  first bigint := substring(pg_get_constraintdef(oid) FROM '< .?([0-9]+)')::bigint FROM pg_constraint
    WHERE conrelid = format('public.%I', named)::regclass AND conname = 'before_months';
BEGIN
  EXECUTE format('ALTER TABLE public.%I SET SCHEMA months', named);
  EXECUTE format('ALTER TABLE months.%I RENAME TO %I', named, named || '_first');
  EXECUTE format('CREATE TABLE public.%I (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (%I)', named, own, key);
  IF named = 'audit_events' THEN
    ALTER TABLE public.audit_events ADD CONSTRAINT audit_events_customer_id_id_pk PRIMARY KEY (customer_id, id),
      ADD CONSTRAINT audit_events_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES public.customers (id);
    CREATE INDEX audit_events_at ON public.audit_events (customer_id, at, id);
    CREATE POLICY expired ON public.audit_events FOR DELETE TO CURRENT_USER USING (at < now() - interval '1 month');
  ELSE
    ALTER TABLE public.audit_chain ADD CONSTRAINT audit_chain_customer_id_seq_event_id_pk PRIMARY KEY (customer_id, seq, event_id);
    CREATE UNIQUE INDEX audit_chain_event ON public.audit_chain (customer_id, event_id);
    CREATE POLICY expired ON public.audit_chain FOR DELETE TO CURRENT_USER USING (seq <= closed_up_to(customer_id));
  END IF;
  EXECUTE format('CREATE POLICY kept ON public.%I FOR SELECT TO CURRENT_USER USING (true)', named);
  EXECUTE format('CREATE POLICY own ON public.%I TO console_app, console_reads, console_streams
    USING (customer_id = current_setting(''console.customer'', true))', named);
  PERFORM wall_of_owner(format('public.%I', named)::regclass);
  EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', named);
  EXECUTE format('GRANT SELECT, INSERT ON public.%I TO console_app', named);
  EXECUTE format('GRANT SELECT ON public.%I TO console_reads, console_streams', named);
  -- What the first part was reached by goes: nobody names it any more.
  EXECUTE format('REVOKE ALL ON %s FROM console_app, console_reads, console_streams', own);
  EXECUTE format('DROP POLICY own ON %s', own);
  EXECUTE format('DROP POLICY kept ON %s', own);
  EXECUTE format('DROP POLICY expired ON %s', own);
  EXECUTE format('DROP POLICY operated ON %s', own);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%s)', named, own, first);
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT before_months', own);
  EXECUTE format('CREATE TABLE months.%I PARTITION OF public.%I DEFAULT', named || '_rest', named);
  EXECUTE format('ALTER TABLE months.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', named || '_rest');
END $$;--> statement-breakpoint
-- Where a month begins, as the ids of events have it.
CREATE FUNCTION month_id(at timestamptz) RETURNS bigint LANGUAGE sql STABLE
  RETURN (extract(epoch FROM date_trunc('month', at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') * 1000000)::bigint;--> statement-breakpoint
-- The parts of the history, and where each ends; of the one for all that no month has, nowhere.
CREATE FUNCTION history_months() RETURNS TABLE (named text, part regclass, ends bigint) LANGUAGE sql STABLE AS $$
  SELECT i.inhparent::regclass::text, c.oid::regclass, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''?([0-9]+)')::bigint
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent IN ('public.audit_events'::regclass, 'public.audit_chain'::regclass) AND c.relkind = 'r'
$$;--> statement-breakpoint
-- Makes the months that are missing up to the one of this time. The job that calls it may do no more than that, and waits for a lock
-- no longer than a read does; a year ahead at most. What came meanwhile for a month that was not there is moved into it.
CREATE FUNCTION make_months(last timestamptz) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '150ms' AS $$
DECLARE
  made integer := 0;
  parted record;
  since timestamp;
  part text;
  rest text;
  columns text;
  bounds text;
BEGIN
  PERFORM pg_advisory_xact_lock(44, 0);
  -- Of a database that is spread: one connection for each machine. Elsewhere nobody reads it.
  PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
  FOR parted IN SELECT m.named, max(m.ends) AS ends, CASE m.named WHEN 'audit_chain' THEN 'event_id' ELSE 'id' END AS key
    FROM history_months() m GROUP BY 1
  LOOP
    since := to_timestamp(parted.ends / 1000000) AT TIME ZONE 'UTC';
    rest := format('months.%I', parted.named || '_rest');
    WHILE since <= date_trunc('month', least(last, now() + interval '1 year') AT TIME ZONE 'UTC') LOOP
      part := format('months.%I', parted.named || to_char(since, '_YYYY_MM'));
      bounds := format('%s >= %s AND %s < %s', parted.key, month_id(since AT TIME ZONE 'UTC'),
        parted.key, month_id((since + interval '1 month') AT TIME ZONE 'UTC'));
      EXECUTE format('CREATE TABLE %s (LIKE public.%I INCLUDING DEFAULTS INCLUDING STORAGE)', part, parted.named);
      EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', rest);
      EXECUTE format('INSERT INTO %s SELECT * FROM %s WHERE %s', part, rest, bounds);
      EXECUTE format('DELETE FROM %s WHERE %s', rest, bounds);
      EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)', parted.named, part,
        month_id(since AT TIME ZONE 'UTC'), month_id((since + interval '1 month') AT TIME ZONE 'UTC'));
      EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', rest);
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
      made := made + 1;
      since := since + interval '1 month';
    END LOOP;
  END LOOP;
  RETURN made;
END $$;--> statement-breakpoint
CREATE FUNCTION begin_history_months() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
BEGIN
  REVOKE ALL ON FUNCTION make_months(timestamptz) FROM PUBLIC;
  IF is_spread('audit_events') THEN
    ALTER TABLE audit_events DROP CONSTRAINT before_months;
    ALTER TABLE audit_chain DROP CONSTRAINT before_months;
    DROP INDEX audit_chain_place;
    RETURN;
  END IF;
  SELECT setval('audit_events_ids', last_value, is_called) INTO last FROM audit_events_id_seq;
  ALTER TABLE audit_events ALTER COLUMN id DROP IDENTITY;
  ALTER TABLE audit_events ALTER COLUMN id SET DEFAULT nextval('audit_events_ids');
  ALTER TABLE audit_chain DROP CONSTRAINT audit_chain_customer_id_seq_pk;
  ALTER TABLE audit_chain ADD CONSTRAINT audit_chain_customer_id_seq_event_id_pk PRIMARY KEY USING INDEX audit_chain_place;
  PERFORM part_by_months('audit_events', 'id');
  PERFORM part_by_months('audit_chain', 'event_id');
  PERFORM make_months(now() + interval '3 months');
END $$;--> statement-breakpoint
SELECT begin_history_months();--> statement-breakpoint
DROP FUNCTION begin_history_months();--> statement-breakpoint
DROP FUNCTION part_by_months(text, text);--> statement-breakpoint
GRANT EXECUTE ON FUNCTION make_months(timestamptz) TO console_jobs;
