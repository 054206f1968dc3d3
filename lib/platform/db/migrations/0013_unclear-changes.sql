ALTER TABLE "license_changes" DROP CONSTRAINT "license_changes_state";--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "seen_quantity" integer;--> statement-breakpoint
ALTER TABLE "license_changes" ADD CONSTRAINT "license_changes_state" CHECK ("license_changes"."state" in ('CLAIMED', 'SENT', 'UNKNOWN', 'APPLIED', 'REJECTED', 'FAILED', 'UNCLEAR', 'DRIFT'));--> statement-breakpoint
GRANT UPDATE (seen_quantity) ON license_changes TO console_app;
