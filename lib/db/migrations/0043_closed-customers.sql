CREATE TABLE "former_customers" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"closed_at" timestamp with time zone NOT NULL,
	"removed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"chain_seq" bigint,
	"chain_digest" "bytea"
);
--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "closed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "gone_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "exported_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "merged_into" text COLLATE "C";--> statement-breakpoint
-- Whose customers were removed, each login of customers' rows may read: an id is not given twice. It names nobody.
GRANT SELECT ON former_customers TO console_app, console_reads, console_streams, console_jobs;--> statement-breakpoint
GRANT INSERT ON former_customers TO console_jobs;--> statement-breakpoint

-- Name, domain and contact can be changed. When a customer is closed, gone and exported, the owner alone writes, by the
-- operator's commands: what serves requests can't bring a removal about.
GRANT UPDATE (name, domain, contact_email) ON customers TO console_app;--> statement-breakpoint
GRANT SELECT (closed_at, gone_at, exported_at) ON customers TO console_jobs;--> statement-breakpoint
GRANT SELECT (closed_at, gone_at) ON customers TO console_keys, console_sessions;--> statement-breakpoint
GRANT SELECT (gone_at) ON customers TO console_sign_in;--> statement-breakpoint

-- Each transaction that changes a customer's rows begins with this (lib/db/transaction.ts), but those that may go on in a
-- closed one. The lock is shared among them; whoever closes takes it for itself, and so waits for those that began before.
CREATE FUNCTION enter_to_write(customer text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(43, hashtext(customer));
  PERFORM set_config('console.customer', customer, true);
  IF EXISTS (SELECT FROM customers WHERE id = customer AND closed_at IS NOT NULL) THEN
    RAISE EXCEPTION 'The customer % is closed.', customer USING ERRCODE = 'CC001';
  END IF;
  RETURN customer;
END $$;--> statement-breakpoint

-- The rows of a customer whose time is over, and which were exported since it was closed, may be removed by the login of
-- jobs; and the owner sees and moves those of the customers that it names. Each table with a customer's rows needs this
-- call: lib/db/walls.test.ts names those that lack it.
CREATE FUNCTION wall_of_departures(named regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT SELECT (customer_id), DELETE ON %s TO console_jobs', named);
  EXECUTE format('CREATE POLICY departed ON %s FOR SELECT TO console_jobs USING (customer_id IN (
    SELECT id FROM public.customers WHERE gone_at <= now() AND exported_at >= closed_at))', named);
  EXECUTE format('CREATE POLICY removed ON %s FOR DELETE TO console_jobs USING (customer_id IN (
    SELECT id FROM public.customers WHERE gone_at <= now() AND exported_at >= closed_at))', named);
  EXECUTE format('CREATE POLICY operated ON %s TO CURRENT_USER
    USING (customer_id = ANY (string_to_array(current_setting(''console.operated'', true), '' '')))', named);
END $$;--> statement-breakpoint
CREATE FUNCTION wall_of_all_departures() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  named regclass;
BEGIN
  FOR named IN SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id'
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relforcerowsecurity AND NOT a.attisdropped
    ORDER BY 1
  LOOP
    PERFORM wall_of_departures(named);
  END LOOP;
END $$;--> statement-breakpoint
SELECT wall_of_all_departures();--> statement-breakpoint
DROP FUNCTION wall_of_all_departures;--> statement-breakpoint
CREATE POLICY operated ON customers TO CURRENT_USER
  USING (id = ANY (string_to_array(current_setting('console.operated', true), ' ')));--> statement-breakpoint
GRANT DELETE ON customers TO console_jobs;--> statement-breakpoint
CREATE POLICY removed ON customers FOR DELETE TO console_jobs USING (gone_at <= now() AND exported_at >= closed_at);--> statement-breakpoint
-- A trigger of invoices looks for what it takes away.
GRANT SELECT ON invoice_tokens TO console_jobs;
