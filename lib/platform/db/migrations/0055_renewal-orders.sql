-- Orders for the next term of commitment plans, and mails of them.
CREATE TABLE "renewal_orders" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"asset_id" text COLLATE "C" NOT NULL,
	"to_quantity" integer,
	"renewal_type" text,
	"former_type" text,
	"term_end" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"placed_at" timestamp with time zone,
	"placed_version" integer,
	"taken_back_at" timestamp with time zone,
	"taken_back_by_kind" text,
	"taken_back_by_id" text,
	"taken_back_by_name" text,
	"reason" text,
	"replaced_by" text COLLATE "C",
	"tries" integer DEFAULT 0 NOT NULL,
	"next_look_at" timestamp with time zone DEFAULT now() NOT NULL,
	"told_at" timestamp with time zone,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "renewal_orders_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "renewal_orders_state" CHECK ("renewal_orders"."state" in ('STANDING', 'APPLIED', 'REJECTED', 'WITHDRAWN', 'REPLACED', 'LOST')),
	CONSTRAINT "renewal_orders_settled" CHECK (("renewal_orders"."settled_at" is null) = ("renewal_orders"."state" = 'STANDING')),
	CONSTRAINT "renewal_orders_one" CHECK (num_nonnulls("renewal_orders"."to_quantity", "renewal_orders"."renewal_type") = 1),
	CONSTRAINT "renewal_orders_quantity" CHECK ("renewal_orders"."to_quantity" >= 0),
	CONSTRAINT "renewal_orders_taken_back" CHECK (num_nonnulls("renewal_orders"."taken_back_at", "renewal_orders"."taken_back_by_kind", "renewal_orders"."taken_back_by_id", "renewal_orders"."taken_back_by_name") in (0, 4))
);
--> statement-breakpoint
ALTER TABLE "account_mails" DROP CONSTRAINT "account_mails_event";--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD CONSTRAINT "renewal_orders_customer_id_asset_id_assets_customer_id_id_fk" FOREIGN KEY ("customer_id","asset_id") REFERENCES "public"."assets"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "renewal_orders_standing" ON "renewal_orders" USING btree ("customer_id","asset_id") WHERE "renewal_orders"."state" = 'STANDING';--> statement-breakpoint
CREATE INDEX "renewal_orders_newest" ON "renewal_orders" USING btree ("customer_id","asset_id","created_at");--> statement-breakpoint
CREATE INDEX "renewal_orders_due" ON "renewal_orders" USING btree ("customer_id","next_look_at") WHERE "renewal_orders"."state" = 'STANDING';--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used', 'scim-token-leaked', 'domain-lost', 'domain-ended', 'renewal-near', 'renewal-not-done')) NOT VALID;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (term_end, state, placed_at, placed_version, taken_back_at, taken_back_by_kind,
  taken_back_by_id, taken_back_by_name, reason, replaced_by, tries, next_look_at, told_at, settled_at)
  ON renewal_orders TO console_app;--> statement-breakpoint
GRANT SELECT ON renewal_orders TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE renewal_orders ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE renewal_orders FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON renewal_orders TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('renewal_orders');--> statement-breakpoint
-- The job finds the orders that somebody has to look at, beside what vendors showed of their subscriptions.
GRANT SELECT (customer_id, id, asset_id, to_quantity, renewal_type, state, placed_at, taken_back_at, tries, next_look_at,
  term_end, told_at, created_at)
  ON renewal_orders TO console_jobs;--> statement-breakpoint
CREATE POLICY due ON renewal_orders FOR SELECT TO console_jobs USING (state = 'STANDING');--> statement-breakpoint
GRANT SELECT (scheduled_total, renewal_type) ON assets TO console_jobs;
