DROP INDEX "vendor_subscriptions_listed";--> statement-breakpoint
DROP INDEX "vendor_subscriptions_held";--> statement-breakpoint
ALTER TABLE "vendor_subscriptions" ADD COLUMN "vendor_customer_key" text GENERATED ALWAYS AS (lower(vendor_customer_id)) STORED;--> statement-breakpoint
ALTER TABLE "vendor_subscriptions" ADD COLUMN "subscription_key" text GENERATED ALWAYS AS (lower(subscription_id)) STORED;--> statement-breakpoint
CREATE UNIQUE INDEX "vendor_subscriptions_held" ON "vendor_subscriptions" USING btree ("vendor","account","vendor_customer_key","subscription_key") WHERE "vendor_subscriptions"."released_at" is null;