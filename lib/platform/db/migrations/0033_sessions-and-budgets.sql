CREATE TABLE "account_mails" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"event" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"address" text,
	"user_agent" text,
	"state" text DEFAULT 'WAITING' NOT NULL,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text,
	CONSTRAINT "account_mails_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device')),
	CONSTRAINT "account_mails_state" CHECK ("account_mails"."state" in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN'))
);
--> statement-breakpoint
CREATE TABLE "known_browsers" (
	"customer_id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_sign_in_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "known_browsers_customer_id_member_id_digest_pk" PRIMARY KEY("customer_id","member_id","digest")
);
--> statement-breakpoint
CREATE TABLE "sign_in_budgets" (
	"subject" text COLLATE "C" PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "sign_in_budgets_failures" CHECK ("sign_in_budgets"."failures" >= 0)
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "browser" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_browsers" ADD CONSTRAINT "known_browsers_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sign_in_budgets_oldest" ON "sign_in_budgets" USING btree ("last_at");--> statement-breakpoint
-- The table sign_in_attempts stays for processes of the release before, which count there while they are replaced.
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_budgets TO console_sign_in;--> statement-breakpoint
-- Who signs in is looked up with whether the browser is known. What is known of it is written in the customer's scope.
GRANT SELECT (customer_id, member_id, digest) ON known_browsers TO console_sign_in;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON known_browsers, account_mails TO console_app;--> statement-breakpoint
GRANT SELECT ON known_browsers, account_mails TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (customer_id, state, not_before) ON account_mails TO console_jobs;--> statement-breakpoint
ALTER TABLE known_browsers ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE known_browsers FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON known_browsers TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON known_browsers FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
ALTER TABLE account_mails ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE account_mails FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON account_mails TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY due ON account_mails FOR SELECT TO console_jobs USING (state IN ('WAITING', 'SENDING'));--> statement-breakpoint
-- What is older than its time is removed by a job. Younger history stays, whatever asks for it.
GRANT DELETE ON seat_readings TO console_app;--> statement-breakpoint
CREATE POLICY old_only ON seat_readings AS RESTRICTIVE FOR DELETE TO console_app USING (at < now() - interval '3 years');--> statement-breakpoint
ALTER POLICY withdrawn_only ON notice_mails USING (state = 'SENDING' OR told_on < now() - interval '2 years');
