CREATE TABLE "vendor_accounts" (
	"vendor" text NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "vendor_accounts_vendor_name_pk" PRIMARY KEY("vendor","name")
);
--> statement-breakpoint
CREATE TABLE "vendor_subscriptions" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"vendor" text NOT NULL,
	"account" text COLLATE "C" NOT NULL,
	"vendor_customer_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"sku_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"observed_at" timestamp with time zone,
	"observation" text,
	"released_at" timestamp with time zone,
	CONSTRAINT "vendor_subscriptions_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "vendor_subscriptions_place" UNIQUE("customer_id","id","vendor","account","vendor_customer_id","subscription_id","sku_id")
);
--> statement-breakpoint
DROP INDEX "assets_at_vendor";--> statement-breakpoint
DROP INDEX "assets_one_per_subscription";--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "vendor_account" text COLLATE "C" DEFAULT 'default' NOT NULL;--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "vendor_subscription_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "vendor_subscription_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "vendor_subscriptions" ADD CONSTRAINT "vendor_subscriptions_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "vendor_subscriptions_held" ON "vendor_subscriptions" USING btree ("vendor","account","vendor_customer_id","subscription_id") WHERE "vendor_subscriptions"."released_at" is null;--> statement-breakpoint
-- The walls stop the owner too: to fill the new table, it looks past them.
ALTER TABLE assets NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE license_changes NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
UPDATE assets SET vendor_subscription_id = gen_random_uuid()::text WHERE vendor <> 'built-in' AND subscription_id IS NOT NULL;--> statement-breakpoint
INSERT INTO vendor_subscriptions (customer_id, id, vendor, account, vendor_customer_id, subscription_id, sku_id, observed_at)
  SELECT customer_id, vendor_subscription_id, vendor, vendor_account, vendor_customer_id, subscription_id, sku_id, observed_at
  FROM assets WHERE vendor_subscription_id IS NOT NULL;--> statement-breakpoint
UPDATE license_changes SET vendor_subscription_id = assets.vendor_subscription_id FROM assets
  WHERE assets.customer_id = license_changes.customer_id AND assets.id = license_changes.asset_id
    AND assets.vendor_subscription_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE license_changes FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE assets FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_at_vendor" FOREIGN KEY ("customer_id","vendor_subscription_id","vendor","vendor_account","vendor_customer_id","subscription_id","sku_id") REFERENCES "public"."vendor_subscriptions"("customer_id","id","vendor","account","vendor_customer_id","subscription_id","sku_id") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "license_changes" ADD CONSTRAINT "license_changes_at_vendor" FOREIGN KEY ("customer_id","vendor_subscription_id") REFERENCES "public"."vendor_subscriptions"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "license_changes_open_at_vendor" ON "license_changes" USING btree ("customer_id","vendor_subscription_id") WHERE "license_changes"."state" in ('CLAIMED', 'SENT', 'UNKNOWN');--> statement-breakpoint
CREATE UNIQUE INDEX "assets_one_per_subscription" ON "assets" USING btree ("customer_id","vendor_subscription_id");--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_of_vendors_point_there" CHECK (("assets"."vendor_subscription_id" is not null) = ("assets"."vendor" <> 'built-in' and "assets"."subscription_id" is not null));--> statement-breakpoint
ALTER TABLE "assets" DROP COLUMN "observed_at";--> statement-breakpoint

GRANT SELECT, INSERT ON vendor_subscriptions TO console_app;--> statement-breakpoint
GRANT UPDATE (vendor_customer_id, subscription_id, sku_id, observed_at, observation, released_at) ON vendor_subscriptions TO console_app;--> statement-breakpoint
ALTER TABLE vendor_subscriptions ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE vendor_subscriptions FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON vendor_subscriptions TO console_app USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- What is released is history.
CREATE POLICY held_only ON vendor_subscriptions AS RESTRICTIVE FOR UPDATE TO console_app USING (released_at IS NULL) WITH CHECK (true);--> statement-breakpoint

-- The lists of vendors know no customer of ours: jobs find whose a subscription is, and write down what is as it was.
GRANT SELECT ON vendor_subscriptions TO console_jobs;--> statement-breakpoint
GRANT UPDATE (observed_at) ON vendor_subscriptions TO console_jobs;--> statement-breakpoint
CREATE POLICY held ON vendor_subscriptions TO console_jobs USING (released_at IS NULL);--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON vendor_accounts TO console_jobs;--> statement-breakpoint
GRANT SELECT (vendor_account, vendor_subscription_id) ON assets TO console_jobs;
