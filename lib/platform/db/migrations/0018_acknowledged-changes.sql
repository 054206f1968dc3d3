ALTER TABLE "license_changes" ADD COLUMN "acknowledged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "acknowledged_by_kind" text;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "acknowledged_by_id" text;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "acknowledged_by_name" text;--> statement-breakpoint
ALTER TABLE "vendor_subscriptions" ADD COLUMN "asked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "license_changes" ADD CONSTRAINT "license_changes_acknowledged" CHECK (num_nonnulls("license_changes"."acknowledged_at", "license_changes"."acknowledged_by_kind", "license_changes"."acknowledged_by_id", "license_changes"."acknowledged_by_name") in (0, 4));--> statement-breakpoint
GRANT UPDATE (acknowledged_at, acknowledged_by_kind, acknowledged_by_id, acknowledged_by_name) ON license_changes TO console_app;--> statement-breakpoint
GRANT UPDATE (asked_at) ON vendor_subscriptions TO console_app;
