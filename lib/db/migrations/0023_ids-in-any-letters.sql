DROP INDEX "vendor_subscriptions_listed";--> statement-breakpoint
DROP INDEX "vendor_subscriptions_held";--> statement-breakpoint
CREATE UNIQUE INDEX "vendor_subscriptions_held" ON "vendor_subscriptions" USING btree ("vendor","account",lower("vendor_customer_id"),lower("subscription_id")) WHERE "vendor_subscriptions"."released_at" is null;