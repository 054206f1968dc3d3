ALTER TABLE "assets" ADD COLUMN "scheduled_total" integer;--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "scheduled_at" timestamp with time zone;