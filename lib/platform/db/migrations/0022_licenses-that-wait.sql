CREATE TABLE "notice_changes" (
	"customer_id" text COLLATE "C" NOT NULL,
	"recipient_id" text COLLATE "C" NOT NULL,
	"change_id" text COLLATE "C" NOT NULL,
	"told_on" date NOT NULL,
	CONSTRAINT "notice_changes_customer_id_recipient_id_change_id_pk" PRIMARY KEY("customer_id","recipient_id","change_id")
);
--> statement-breakpoint
ALTER TABLE "notice_recipients" DROP CONSTRAINT "notice_recipients_stopped";--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "not_before" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "notice_recipients" ADD COLUMN "licenses_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "notice_changes" ADD CONSTRAINT "notice_changes_customer_id_recipient_id_told_on_notice_mails_customer_id_recipient_id_told_on_fk" FOREIGN KEY ("customer_id","recipient_id","told_on") REFERENCES "public"."notice_mails"("customer_id","recipient_id","told_on") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_changes" ADD CONSTRAINT "notice_changes_customer_id_change_id_license_changes_customer_id_id_fk" FOREIGN KEY ("customer_id","change_id") REFERENCES "public"."license_changes"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notice_changes_of_mail" ON "notice_changes" USING btree ("customer_id","recipient_id","told_on");--> statement-breakpoint
ALTER TABLE "notice_recipients" ADD CONSTRAINT "notice_recipients_stopped" CHECK ("notice_recipients"."stopped" <@ array['new','due','past-due','licenses']);--> statement-breakpoint
GRANT UPDATE (not_before) ON license_changes TO console_app;--> statement-breakpoint
GRANT UPDATE (licenses_since) ON notice_recipients TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT ON notice_changes TO console_app;--> statement-breakpoint
ALTER TABLE notice_changes ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE notice_changes FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON notice_changes TO console_app USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- The job that sends looks for just the customers who have anybody to tell of licenses.
GRANT SELECT (customer_id, licenses_since) ON notice_recipients TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON notice_recipients FOR SELECT TO console_jobs USING (licenses_since IS NOT NULL);
