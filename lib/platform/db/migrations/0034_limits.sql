CREATE TABLE "customer_limits" (
	"customer_id" text COLLATE "C" NOT NULL,
	"requests" integer,
	"changes" integer,
	"exports" integer,
	"together" integer,
	CONSTRAINT "customer_limits_customer_id_pk" PRIMARY KEY("customer_id"),
	CONSTRAINT "customer_limits_positive" CHECK (least("customer_limits"."requests", "customer_limits"."changes", "customer_limits"."exports", "customer_limits"."together") > 0)
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "limit_windows" (
	"customer_id" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"window_number" bigint NOT NULL,
	"taken" integer NOT NULL,
	"share" integer NOT NULL,
	"quota" integer NOT NULL,
	CONSTRAINT "limit_windows_customer_id_subject_pk" PRIMARY KEY("customer_id","subject"),
	CONSTRAINT "limit_windows_share" CHECK ("limit_windows"."share" between 0 and "limit_windows"."taken")
);
--> statement-breakpoint
ALTER TABLE "customer_limits" ADD CONSTRAINT "customer_limits_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- Counted as it becomes known who is calling: the role sees what the customer at hand has had, and no other's.
GRANT SELECT, INSERT, UPDATE ON limit_windows TO console_keys;--> statement-breakpoint
GRANT SELECT ON customer_limits TO console_keys, console_reads, console_streams;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON customer_limits TO console_app;--> statement-breakpoint
-- The windows of callers that are gone are removed, whosever they are.
GRANT SELECT (window_number), DELETE ON limit_windows TO console_jobs;--> statement-breakpoint
ALTER TABLE limit_windows ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE limit_windows FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON limit_windows TO console_keys
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY past ON limit_windows TO console_jobs USING (true);--> statement-breakpoint
ALTER TABLE customer_limits ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE customer_limits FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON customer_limits TO console_app, console_reads, console_streams, console_keys
  USING (customer_id = current_setting('console.customer', true));
