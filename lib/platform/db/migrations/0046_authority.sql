ALTER TABLE "api_keys" ADD COLUMN "replaced_by_person" boolean;--> statement-breakpoint
GRANT SELECT (replaced_by_person) ON api_keys TO console_app, console_reads, console_streams;--> statement-breakpoint
-- Who was taken away is disabled, since each look-up of a caller asks for that alone. The rows of before are looked at by
-- the next migration.
ALTER TABLE "members" ADD CONSTRAINT "members_removed" CHECK ("members"."removed_at" IS NULL OR "members"."disabled_at" IS NOT NULL) NOT VALID;
