CREATE TABLE "customer_versions" (
	"customer_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unversioned_writes" (
	"customer_id" text COLLATE "C" NOT NULL,
	"transaction" "xid8" NOT NULL,
	CONSTRAINT "unversioned_writes_customer_id_transaction_pk" PRIMARY KEY("customer_id","transaction")
);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (version) ON customer_versions TO console_app;--> statement-breakpoint
GRANT SELECT ON customer_versions TO console_reads, console_streams, console_keys, console_sessions;--> statement-breakpoint
ALTER TABLE customer_versions ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE customer_versions FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON customer_versions TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- Read by the query that finds the caller, before the customer is known.
CREATE POLICY callers ON customer_versions FOR SELECT TO console_keys, console_sessions USING (true);--> statement-breakpoint
SELECT wall_of_owner('customer_versions');--> statement-breakpoint
GRANT SELECT, INSERT ON unversioned_writes TO console_app;--> statement-breakpoint
GRANT SELECT ON unversioned_writes TO console_reads, console_streams, console_keys, console_sessions;--> statement-breakpoint
-- The transaction of this migration, for no customer: answers are cached when all transactions before it have ended.
INSERT INTO unversioned_writes (customer_id, transaction) VALUES ('', pg_current_xact_id());--> statement-breakpoint
ALTER TABLE unversioned_writes ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE unversioned_writes FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON unversioned_writes TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY callers ON unversioned_writes FOR SELECT TO console_keys, console_sessions USING (true);--> statement-breakpoint
SELECT wall_of_owner('unversioned_writes');--> statement-breakpoint
-- What `enter_to_write` did: refuses a change of a closed customer.
CREATE FUNCTION begin_write(customer text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(43, hashtext(customer));
  PERFORM set_config('console.customer', customer, true);
  IF EXISTS (SELECT FROM customers WHERE id = customer AND closed_at IS NOT NULL) THEN
    RAISE EXCEPTION 'The customer % is closed.', customer USING ERRCODE = 'CC001';
  END IF;
  RETURN customer;
END $$;--> statement-breakpoint
-- Processes of the previous release begin their writes with this function and replace no version at their end.
CREATE OR REPLACE FUNCTION enter_to_write(customer text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM begin_write(customer);
  INSERT INTO unversioned_writes (customer_id, transaction) VALUES (customer, pg_current_xact_id()) ON CONFLICT DO NOTHING;
  RETURN customer;
END $$;
