CREATE TABLE "recent_writes" (
	"customer_id" text COLLATE "C" NOT NULL,
	"transaction" "xid8" NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "recent_writes_customer_id_transaction_pk" PRIMARY KEY("customer_id","transaction")
);
--> statement-breakpoint
-- Written with each transaction of a customer's, asked for by whoever finds out who is calling, swept by jobs.
GRANT INSERT ON recent_writes TO console_app;--> statement-breakpoint
GRANT SELECT ON recent_writes TO console_keys;--> statement-breakpoint
GRANT SELECT, DELETE ON recent_writes TO console_jobs;--> statement-breakpoint
ALTER TABLE recent_writes ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE recent_writes FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON recent_writes TO console_app USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY replica ON recent_writes FOR SELECT TO console_keys USING (true);--> statement-breakpoint
CREATE POLICY old ON recent_writes TO console_jobs USING (at < now() - interval '1 minute');
