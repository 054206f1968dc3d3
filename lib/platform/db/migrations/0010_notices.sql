CREATE TABLE "notice_mails" (
	"customer_id" text COLLATE "C" NOT NULL,
	"recipient_id" text COLLATE "C" NOT NULL,
	"told_on" date NOT NULL,
	"state" text DEFAULT 'SENDING' NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"claimed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text,
	CONSTRAINT "notice_mails_customer_id_recipient_id_told_on_pk" PRIMARY KEY("customer_id","recipient_id","told_on"),
	CONSTRAINT "notice_mails_state" CHECK ("notice_mails"."state" in ('SENDING', 'SENT', 'REFUSED', 'UNKNOWN')),
	CONSTRAINT "notice_mails_attempts" CHECK ("notice_mails"."attempts" >= 1)
);
--> statement-breakpoint
CREATE TABLE "notice_recipients" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"email" text NOT NULL,
	"stopped" text[] DEFAULT '{}' NOT NULL,
	"failure" text,
	"failed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notice_recipients_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "notice_recipients_stopped" CHECK ("notice_recipients"."stopped" <@ array['new','due','past-due']),
	CONSTRAINT "notice_recipients_failed" CHECK (("notice_recipients"."failure" is null) = ("notice_recipients"."failed_at" is null))
);
--> statement-breakpoint
CREATE TABLE "notice_subscriptions" (
	"customer_id" text COLLATE "C" NOT NULL,
	"recipient_id" text COLLATE "C" NOT NULL,
	"billing_profile_id" text COLLATE "C" NOT NULL,
	"kinds" text[] NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notice_subscriptions_customer_id_recipient_id_billing_profile_id_pk" PRIMARY KEY("customer_id","recipient_id","billing_profile_id"),
	CONSTRAINT "notice_subscriptions_kinds" CHECK ("notice_subscriptions"."kinds" <@ array['new','due','past-due'] and "notice_subscriptions"."kinds" <> '{}')
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"customer_id" text COLLATE "C" NOT NULL,
	"recipient_id" text COLLATE "C" NOT NULL,
	"invoice_id" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"told_on" date NOT NULL,
	CONSTRAINT "notices_customer_id_recipient_id_invoice_id_kind_told_on_pk" PRIMARY KEY("customer_id","recipient_id","invoice_id","kind","told_on"),
	CONSTRAINT "notices_kind" CHECK (array["notices"."kind"] <@ array['new','due','past-due'])
);
--> statement-breakpoint
ALTER TABLE "notice_mails" ADD CONSTRAINT "notice_mails_customer_id_recipient_id_notice_recipients_customer_id_id_fk" FOREIGN KEY ("customer_id","recipient_id") REFERENCES "public"."notice_recipients"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_recipients" ADD CONSTRAINT "notice_recipients_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_subscriptions" ADD CONSTRAINT "notice_subscriptions_customer_id_recipient_id_notice_recipients_customer_id_id_fk" FOREIGN KEY ("customer_id","recipient_id") REFERENCES "public"."notice_recipients"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_subscriptions" ADD CONSTRAINT "notice_subscriptions_customer_id_billing_profile_id_billing_profiles_customer_id_id_fk" FOREIGN KEY ("customer_id","billing_profile_id") REFERENCES "public"."billing_profiles"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_customer_id_recipient_id_told_on_notice_mails_customer_id_recipient_id_told_on_fk" FOREIGN KEY ("customer_id","recipient_id","told_on") REFERENCES "public"."notice_mails"("customer_id","recipient_id","told_on") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_customer_id_invoice_id_invoices_customer_id_id_fk" FOREIGN KEY ("customer_id","invoice_id") REFERENCES "public"."invoices"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notice_recipients_email" ON "notice_recipients" USING btree ("customer_id",lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "notices_once" ON "notices" USING btree ("customer_id","recipient_id","invoice_id","kind") WHERE "notices"."kind" <> 'past-due';--> statement-breakpoint
CREATE INDEX "notices_of_mail" ON "notices" USING btree ("customer_id","recipient_id","told_on");--> statement-breakpoint
CREATE INDEX "notices_of_invoice" ON "notices" USING btree ("customer_id","invoice_id");--> statement-breakpoint
CREATE INDEX "invoices_arrived" ON "invoices" USING btree ("customer_id","created_at","id");--> statement-breakpoint

GRANT SELECT, INSERT, UPDATE (stopped, failure, failed_at) ON notice_recipients TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (kinds, since), DELETE ON notice_subscriptions TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (state, attempts, claimed_at, reason), DELETE ON notice_mails TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT ON notices TO console_app;--> statement-breakpoint
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['notice_recipients', 'notice_subscriptions', 'notice_mails', 'notices'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY own ON %I TO console_app USING (customer_id = current_setting(''console.customer'', true))', t);
  END LOOP;
END $$;--> statement-breakpoint
-- What was sent, refused or given up is history; only a mail on its way may be settled or withdrawn.
CREATE POLICY sending_only ON notice_mails AS RESTRICTIVE FOR UPDATE TO console_app USING (state = 'SENDING') WITH CHECK (true);--> statement-breakpoint
CREATE POLICY withdrawn_only ON notice_mails AS RESTRICTIVE FOR DELETE TO console_app USING (state = 'SENDING');--> statement-breakpoint
-- The job that sends looks for just the customers who have anybody to tell, and then enters one after the other.
GRANT SELECT (customer_id) ON notice_subscriptions TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON notice_subscriptions FOR SELECT TO console_jobs USING (true);
