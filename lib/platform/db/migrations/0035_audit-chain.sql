CREATE TABLE "audit_chain" (
	"customer_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"digest" "bytea" NOT NULL,
	CONSTRAINT "audit_chain_customer_id_seq_pk" PRIMARY KEY("customer_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_closings" (
	"customer_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"digest" "bytea" NOT NULL,
	"before" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_closings_customer_id_seq_pk" PRIMARY KEY("customer_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"customer_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"digest" "bytea" NOT NULL,
	"told_seq" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refused_strangers" (
	"minute" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "refused_strangers_minute_kind_pk" PRIMARY KEY("minute","kind")
);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "session" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "agent" text;--> statement-breakpoint
ALTER TABLE "audit_closings" ADD CONSTRAINT "audit_closings_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_chain_event" ON "audit_chain" USING btree ("customer_id","event_id");--> statement-breakpoint
-- The app adds to the history and moves its head on. It may neither change, remove nor empty what stands there.
GRANT USAGE ON SEQUENCE audit_events_id_seq TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT ON audit_chain TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (seq, event_id, at, digest) ON audit_heads TO console_app;--> statement-breakpoint
GRANT SELECT ON audit_closings TO console_app;--> statement-breakpoint
GRANT SELECT ON audit_chain, audit_heads, audit_closings TO console_reads, console_streams;--> statement-breakpoint
-- Jobs sign heads, and note up to where they did.
GRANT SELECT (customer_id, seq, at, digest, told_seq), UPDATE (told_seq) ON audit_heads TO console_jobs;--> statement-breakpoint
-- Strangers are of no customer.
GRANT SELECT, INSERT, UPDATE ON refused_strangers TO console_jobs;--> statement-breakpoint
-- A failed sign-in is told with the name of the account.
GRANT SELECT (name) ON members TO console_sign_in;--> statement-breakpoint
ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON audit_chain TO console_app, console_reads, console_streams USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON audit_heads TO console_app, console_reads, console_streams USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE audit_closings ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE audit_closings FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON audit_closings TO console_app, console_reads, console_streams USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY signed ON audit_heads FOR SELECT TO console_jobs USING (true);--> statement-breakpoint
CREATE POLICY told ON audit_heads FOR UPDATE TO console_jobs USING (true);--> statement-breakpoint
-- The walls stop the owner too. As the owner, and as nobody else, the operator's command removes months that are over:
-- nothing that is younger than a month, and no link of a chain but those before its new beginning.
CREATE POLICY kept ON audit_events FOR SELECT TO CURRENT_USER USING (true);--> statement-breakpoint
CREATE POLICY expired ON audit_events FOR DELETE TO CURRENT_USER USING (at < now() - interval '1 month');--> statement-breakpoint
CREATE POLICY kept ON audit_chain FOR SELECT TO CURRENT_USER USING (true);--> statement-breakpoint
CREATE POLICY expired ON audit_chain FOR DELETE TO CURRENT_USER USING (seq <= (
  SELECT max(c.seq) FROM audit_closings c WHERE c.customer_id = audit_chain.customer_id));--> statement-breakpoint
CREATE POLICY kept ON audit_closings TO CURRENT_USER USING (true);--> statement-breakpoint
-- What was written until now, and what an older release writes beside this one, gets its place by adding rows.
INSERT INTO backfills (name) VALUES ('audit-chain');
