-- Columns that may be null and have no default: PostgreSQL writes down that they are there, and touches no row, however
-- many invoices there are. No CHECK of them: to hold for the rows that are there, it would read all of them.
ALTER TABLE "assets" ADD COLUMN "posting_order" text;--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "cost_center" text;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "purchase_order" text;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "buyer_reference" text;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "cost_center" text;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "purchase_order" text;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "cost_center" text;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "carried" text[];--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "type_code" text;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "net_amount" numeric;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "tax_amount" numeric;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "tax_breakdown" jsonb;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "buyer_reference" text;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "payment_terms" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "purchase_order" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "cost_center" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "carried" text[];--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "net_amount" numeric;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "tax_category" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "tax_rate" numeric;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "tax_amount" numeric;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "period_start" date;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "period_end" date;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "billing_account" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "sub_account" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "unit" text;
