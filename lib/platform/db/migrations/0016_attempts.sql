CREATE TABLE "license_change_attempts" (
	"customer_id" text COLLATE "C" NOT NULL,
	"change_id" text COLLATE "C" NOT NULL,
	"number" integer NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"quantity" integer NOT NULL,
	"kind" text,
	"reason" text,
	"vendor_request_id" text,
	"took_ms" integer,
	CONSTRAINT "license_change_attempts_customer_id_change_id_number_pk" PRIMARY KEY("customer_id","change_id","number"),
	CONSTRAINT "license_change_attempts_kind" CHECK ("license_change_attempts"."kind" in ('applied', 'rejected', 'not_sent', 'unknown'))
);
--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "settled_by" text;--> statement-breakpoint
ALTER TABLE "license_change_attempts" ADD CONSTRAINT "license_change_attempts_customer_id_change_id_license_changes_customer_id_id_fk" FOREIGN KEY ("customer_id","change_id") REFERENCES "public"."license_changes"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "license_changes_unclear" ON "license_changes" USING btree ("customer_id","id") WHERE "license_changes"."state" = 'UNCLEAR';--> statement-breakpoint
GRANT UPDATE (settled_by) ON license_changes TO console_app;--> statement-breakpoint
-- What is unclear may be settled, by a person; all else that is settled is history.
DROP POLICY open_only ON license_changes;--> statement-breakpoint
CREATE POLICY unsettled_only ON license_changes AS RESTRICTIVE FOR UPDATE TO console_app USING (state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR')) WITH CHECK (true);--> statement-breakpoint
DROP POLICY due ON license_changes;--> statement-breakpoint
CREATE POLICY due ON license_changes FOR SELECT TO console_jobs USING (state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR'));--> statement-breakpoint
GRANT SELECT, INSERT ON license_change_attempts TO console_app;--> statement-breakpoint
GRANT UPDATE (kind, reason, vendor_request_id, took_ms) ON license_change_attempts TO console_app;--> statement-breakpoint
ALTER TABLE license_change_attempts ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE license_change_attempts FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON license_change_attempts TO console_app USING (customer_id = current_setting('console.customer', true));
