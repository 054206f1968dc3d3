CREATE TABLE "seat_readings" (
	"customer_id" text COLLATE "C" NOT NULL,
	"asset_id" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"purchased" integer NOT NULL,
	"assigned" integer NOT NULL,
	CONSTRAINT "seat_readings_customer_id_asset_id_at_pk" PRIMARY KEY("customer_id","asset_id","at"),
	CONSTRAINT "seat_readings_seats" CHECK (least("seat_readings"."purchased", "seat_readings"."assigned") >= 0)
);
--> statement-breakpoint
ALTER TABLE "license_changes" DROP CONSTRAINT "license_changes_state";--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "observed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "change_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "vendor_request_id" text;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "moved_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "license_changes" ADD COLUMN "checked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "seat_readings" ADD CONSTRAINT "seat_readings_customer_id_asset_id_assets_customer_id_id_fk" FOREIGN KEY ("customer_id","asset_id") REFERENCES "public"."assets"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assets_at_vendor" ON "assets" USING btree ("vendor","vendor_customer_id","sku_id") WHERE "assets"."vendor" <> 'built-in';--> statement-breakpoint
CREATE UNIQUE INDEX "license_changes_open" ON "license_changes" USING btree ("customer_id","asset_id") WHERE "license_changes"."state" in ('CLAIMED', 'SENT', 'UNKNOWN');--> statement-breakpoint
ALTER TABLE "license_changes" ADD CONSTRAINT "license_changes_settled" CHECK (("license_changes"."settled_at" is null) = ("license_changes"."state" in ('CLAIMED', 'SENT', 'UNKNOWN')));--> statement-breakpoint
ALTER TABLE "license_changes" ADD CONSTRAINT "license_changes_state" CHECK ("license_changes"."state" in ('CLAIMED', 'SENT', 'UNKNOWN', 'APPLIED', 'REJECTED', 'FAILED', 'DRIFT'));--> statement-breakpoint

-- Only an open change may move on or be withdrawn; a settled one is history.
GRANT UPDATE (from_quantity, state, vendor_reason, vendor_request_id, moved_at, checked_at, settled_at), DELETE ON license_changes TO console_app;--> statement-breakpoint
CREATE POLICY open_only ON license_changes AS RESTRICTIVE FOR UPDATE TO console_app USING (state IN ('CLAIMED', 'SENT', 'UNKNOWN')) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY claimed_only ON license_changes AS RESTRICTIVE FOR DELETE TO console_app USING (state = 'CLAIMED');--> statement-breakpoint

GRANT SELECT, INSERT ON seat_readings TO console_app;--> statement-breakpoint
ALTER TABLE seat_readings ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE seat_readings FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON seat_readings TO console_app USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint

-- Jobs look for due work in just these columns of just these rows, and then enter one customer after the other.
GRANT USAGE ON SCHEMA public TO console_jobs;--> statement-breakpoint
GRANT SELECT (customer_id, id, state) ON license_changes TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON license_changes FOR SELECT TO console_jobs USING (state IN ('CLAIMED', 'SENT', 'UNKNOWN'));--> statement-breakpoint
GRANT SELECT (customer_id, id, vendor, vendor_customer_id, subscription_id, sku_id) ON assets TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON assets FOR SELECT TO console_jobs USING (vendor <> 'built-in');--> statement-breakpoint
-- The job queue's own tables: it makes and migrates them itself.
CREATE SCHEMA pgboss AUTHORIZATION console_jobs;
