ALTER TABLE "vendor_accounts" ADD COLUMN "list_next_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL;--> statement-breakpoint
ALTER TABLE "vendor_accounts" ADD COLUMN "list_began_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "vendor_accounts" ADD COLUMN "list_cursor" text;--> statement-breakpoint
ALTER TABLE "vendor_accounts" ADD COLUMN "list_failed" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "vendor_accounts" ADD COLUMN "list_ended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "vendor_subscriptions" ADD COLUMN "next_read_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "vendor_subscriptions_listed" ON "vendor_subscriptions" USING btree ("vendor","account",lower("vendor_customer_id"),lower("subscription_id")) WHERE "vendor_subscriptions"."released_at" is null;--> statement-breakpoint
CREATE INDEX "vendor_subscriptions_due" ON "vendor_subscriptions" USING btree ("vendor","account","next_read_at") WHERE "vendor_subscriptions"."next_read_at" is not null;--> statement-breakpoint
GRANT UPDATE (next_read_at) ON vendor_subscriptions TO console_app, console_jobs;
