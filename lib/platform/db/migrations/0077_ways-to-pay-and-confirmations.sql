CREATE TABLE "notice_confirmations" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"recipient_id" text COLLATE "C" NOT NULL,
	"billing_profile_id" text COLLATE "C" NOT NULL,
	"kinds" text[] NOT NULL,
	"attaches_pdf" boolean NOT NULL,
	"requested_by" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"outcome" text,
	"ended_at" timestamp with time zone,
	"state" text DEFAULT 'WAITING' NOT NULL,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text,
	CONSTRAINT "notice_confirmations_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "notice_confirmations_kinds" CHECK ("notice_confirmations"."kinds" <@ array['new','due','past-due'] and "notice_confirmations"."kinds" <> '{}'),
	CONSTRAINT "notice_confirmations_outcome" CHECK ("notice_confirmations"."outcome" in ('CONFIRMED', 'DECLINED', 'WITHDRAWN')),
	CONSTRAINT "notice_confirmations_ended" CHECK (("notice_confirmations"."outcome" is null) = ("notice_confirmations"."ended_at" is null)),
	CONSTRAINT "notice_confirmations_state" CHECK ("notice_confirmations"."state" in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN'))
);
--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "payment_url" text;--> statement-breakpoint
ALTER TABLE "notice_subscriptions" ADD COLUMN "attaches_pdf" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notice_confirmations" ADD CONSTRAINT "notice_confirmations_customer_id_recipient_id_notice_recipients_customer_id_id_fk" FOREIGN KEY ("customer_id","recipient_id") REFERENCES "public"."notice_recipients"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_confirmations" ADD CONSTRAINT "notice_confirmations_customer_id_billing_profile_id_billing_profiles_customer_id_id_fk" FOREIGN KEY ("customer_id","billing_profile_id") REFERENCES "public"."billing_profiles"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_confirmations" ADD CONSTRAINT "notice_confirmations_customer_id_requested_by_members_customer_id_id_fk" FOREIGN KEY ("customer_id","requested_by") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notice_confirmations_open" ON "notice_confirmations" USING btree ("customer_id","recipient_id","billing_profile_id") WHERE "notice_confirmations"."outcome" IS NULL;--> statement-breakpoint
CREATE INDEX "notice_confirmations_profile" ON "notice_confirmations" USING btree ("customer_id","billing_profile_id","created_at");--> statement-breakpoint
GRANT UPDATE (attaches_pdf) ON notice_subscriptions TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (kinds, attaches_pdf, outcome, ended_at, state, not_before, reason), DELETE
  ON notice_confirmations TO console_app;--> statement-breakpoint
GRANT SELECT ON notice_confirmations TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE notice_confirmations ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE notice_confirmations FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON notice_confirmations TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('notice_confirmations');--> statement-breakpoint
-- The job that sends finds the customers with unsent mails.
GRANT SELECT (customer_id, state, not_before, outcome) ON notice_confirmations TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON notice_confirmations FOR SELECT TO console_jobs
  USING (outcome IS NULL AND state IN ('WAITING', 'SENDING'));
