ALTER TABLE "renewal_orders" ADD COLUMN "seen_quantity" integer;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "seen_type" text;--> statement-breakpoint
ALTER TABLE "renewal_requests" ADD COLUMN "version" text;