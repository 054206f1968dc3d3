ALTER TABLE "line_items" ADD COLUMN "used_quantity" numeric;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "used_unit" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "sku" text;