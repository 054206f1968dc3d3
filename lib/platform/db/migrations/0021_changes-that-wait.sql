ALTER TABLE "license_change_attempts" ADD COLUMN "actor_name" text;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "poll_ref" text;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "checked_by" text;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "operator_told_at" timestamp with time zone;--> statement-breakpoint
GRANT UPDATE (poll_ref, checked_by, operator_told_at) ON license_changes TO console_app;--> statement-breakpoint
-- What waits is counted by vendor and by age, and mails on their way are counted: no more of them is seen.
GRANT SELECT (vendor_subscription_id, created_at, acknowledged_at) ON license_changes TO console_jobs;--> statement-breakpoint
GRANT SELECT (state) ON notice_mails TO console_jobs;--> statement-breakpoint
CREATE POLICY waiting ON notice_mails FOR SELECT TO console_jobs USING (state = 'SENDING');
--> statement-breakpoint
GRANT USAGE ON SCHEMA drizzle TO console_jobs;--> statement-breakpoint
GRANT SELECT (created_at) ON drizzle.__drizzle_migrations TO console_jobs;
