ALTER TABLE "account_mails" DROP CONSTRAINT "account_mails_event";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "belongs_to_customer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "addresses" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "replaced_by" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "end_told_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_address" text;--> statement-breakpoint
ALTER TABLE "account_mails" ADD COLUMN "key_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "proven_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device', 'key-ends', 'key-leaked')) NOT VALID;--> statement-breakpoint
-- A member proves anew who they are in a session that they have.
GRANT UPDATE (proven_at) ON sessions TO console_app;--> statement-breakpoint
GRANT SELECT (proven_at) ON sessions TO console_sessions;--> statement-breakpoint
GRANT SELECT (belongs_to_customer, addresses, replaced_by, end_told_at, last_used_address) ON api_keys TO console_app, console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (belongs_to_customer, addresses), UPDATE (last_used_address) ON api_keys TO console_keys;--> statement-breakpoint
-- A job looks for keys that are about to end, and sees of the others nothing.
GRANT SELECT (customer_id, created_at, expires_at, revoked_at, replaced_by, end_told_at) ON api_keys TO console_jobs;--> statement-breakpoint
CREATE POLICY ends ON api_keys FOR SELECT TO console_jobs
  USING (expires_at IS NOT NULL AND revoked_at IS NULL AND replaced_by IS NULL AND end_told_at IS NULL);
