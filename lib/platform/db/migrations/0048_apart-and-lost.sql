ALTER TABLE "account_mails" DROP CONSTRAINT "account_mails_event";--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "factors_apart" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "account_mails" ADD COLUMN "about" text;--> statement-breakpoint
ALTER TABLE "sign_on_domains" ADD COLUMN "checked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sign_on_domains" ADD COLUMN "lost_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used', 'scim-token-leaked', 'domain-lost', 'domain-ended')) NOT VALID;--> statement-breakpoint
GRANT SELECT (factors_apart) ON members TO console_app, console_reads, console_streams, console_sign_in;--> statement-breakpoint
-- The job that looks for records again sees whose domains were proven by one, and when it looked last.
GRANT SELECT (customer_id, proven_at, proven_by, checked_at, lost_at) ON sign_on_domains TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON sign_on_domains FOR SELECT TO console_jobs USING (proven_by = 'dns' AND proven_at IS NOT NULL);
