-- The log of requests about next terms, which replaces what an order said of its vendor's state.
CREATE TABLE "renewal_requests" (
	"customer_id" text COLLATE "C" NOT NULL,
	"asset_id" text COLLATE "C" NOT NULL,
	"number" integer NOT NULL,
	"order_id" text COLLATE "C" NOT NULL,
	"vendor_subscription_id" text COLLATE "C",
	"term_end" timestamp with time zone NOT NULL,
	"quantity" integer,
	"renewal_type" text,
	"is_withdrawal" boolean NOT NULL,
	"before_quantity" integer,
	"before_type" text,
	"at" timestamp with time zone NOT NULL,
	"late_until" timestamp with time zone,
	"request_id" text NOT NULL,
	"kind" text,
	"reason" text,
	"vendor_request_id" text,
	"took_ms" integer,
	"shown_at" timestamp with time zone,
	"shown_quantity" integer,
	"shown_type" text,
	CONSTRAINT "renewal_requests_customer_id_asset_id_number_pk" PRIMARY KEY("customer_id","asset_id","number"),
	CONSTRAINT "renewal_requests_kind" CHECK ("renewal_requests"."kind" in ('applied', 'rejected', 'not_sent', 'unknown'))
);
--> statement-breakpoint
ALTER TABLE "account_mails" DROP CONSTRAINT "account_mails_event";--> statement-breakpoint
ALTER TABLE "renewal_orders" DROP CONSTRAINT "renewal_orders_state";--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "waits_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "began_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "began_quantity" integer;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "began_type" text;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "began_placed" boolean;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "reported_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "operator_told_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "settled_by" text;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "is_logged" boolean;--> statement-breakpoint
ALTER TABLE "renewal_requests" ADD CONSTRAINT "renewal_requests_customer_id_order_id_renewal_orders_customer_id_id_fk" FOREIGN KEY ("customer_id","order_id") REFERENCES "public"."renewal_orders"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used', 'scim-token-leaked', 'domain-lost', 'domain-ended', 'renewal-near', 'renewal-not-done', 'renewal-unclear')) NOT VALID;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD CONSTRAINT "renewal_orders_state" CHECK ("renewal_orders"."state" in ('STANDING', 'APPLIED', 'REJECTED', 'WITHDRAWN', 'REPLACED', 'LOST', 'UNCLEAR')) NOT VALID;--> statement-breakpoint
GRANT UPDATE (waits_since, began_at, began_quantity, began_type, began_placed, reported_at, operator_told_at, settled_by,
  is_logged) ON renewal_orders TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (late_until, kind, reason, vendor_request_id, took_ms, shown_at, shown_quantity, shown_type)
  ON renewal_requests TO console_app;--> statement-breakpoint
GRANT SELECT ON renewal_requests TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE renewal_requests ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE renewal_requests FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON renewal_requests TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('renewal_requests');--> statement-breakpoint
-- Jobs find unclear orders, too, and those that a change of the licenses may have deleted at their vendor.
GRANT SELECT (placed_version, waits_since, began_at) ON renewal_orders TO console_jobs;--> statement-breakpoint
ALTER POLICY due ON renewal_orders USING (state IN ('STANDING', 'UNCLEAR'));--> statement-breakpoint
GRANT SELECT (seat_version) ON assets TO console_jobs;
