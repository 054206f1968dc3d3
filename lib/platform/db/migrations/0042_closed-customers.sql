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

-- As the owner, and as nobody else, the operator's commands and the job that removes who is gone see and change the rows of
-- the customers that they name. Each table with rows of customers needs this call: lib/db/walls.test.ts names those that
-- lack it.
CREATE FUNCTION wall_of_owner(named regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE POLICY operated ON %s TO CURRENT_USER
    USING (customer_id = ANY (string_to_array(current_setting(''console.operated'', true), '' '')))', named);
END $$;--> statement-breakpoint
CREATE FUNCTION wall_of_owner_everywhere() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  named regclass;
BEGIN
  FOR named IN SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id'
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relforcerowsecurity AND NOT a.attisdropped
    ORDER BY 1
  LOOP
    PERFORM wall_of_owner(named);
  END LOOP;
END $$;--> statement-breakpoint
SELECT wall_of_owner_everywhere();--> statement-breakpoint
DROP FUNCTION wall_of_owner_everywhere;--> statement-breakpoint
CREATE POLICY operated ON customers TO CURRENT_USER
  USING (id = ANY (string_to_array(current_setting('console.operated', true), ' ')));--> statement-breakpoint
-- What restricts the app would restrict an owner, too, who inherits its rights: all rows go with their customer.
ALTER POLICY claimed_only ON license_changes USING (state = 'CLAIMED' OR current_user <> 'console_app');--> statement-breakpoint
ALTER POLICY withdrawn_only ON notice_mails USING (
  state = 'SENDING' OR told_on < now() - interval '2 years' OR current_user <> 'console_app');--> statement-breakpoint
ALTER POLICY old_only ON seat_readings USING (at < now() - interval '3 years' OR current_user <> 'console_app');
