ALTER TABLE "members" ADD COLUMN "last_sign_in_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "added_by" text;--> statement-breakpoint
GRANT SELECT (last_sign_in_at, added_by) ON members TO console_app, console_reads, console_streams;--> statement-breakpoint
-- An invitation that is withdrawn leaves no member: whoever has come is disabled instead, which the statement says.
GRANT DELETE ON members TO console_app;
