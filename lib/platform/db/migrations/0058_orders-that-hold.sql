-- What an order for the next term has to know of its vendor, to be taken back there.
ALTER TABLE "renewal_orders" ADD COLUMN "former_quantity" integer;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "held_type" text;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "held_quantity" integer;--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "vendor_subscription_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "renewal_orders" ADD COLUMN "unclear_until" timestamp with time zone;--> statement-breakpoint
GRANT UPDATE (held_type, held_quantity, unclear_until) ON renewal_orders TO console_app;
