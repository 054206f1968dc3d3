ALTER TABLE "license_changes" ADD COLUMN "sent_at" timestamp with time zone;--> statement-breakpoint
GRANT UPDATE (sent_at) ON license_changes TO console_app;
