CREATE TABLE "charge_sets" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"issuer" text COLLATE "C" NOT NULL,
	"number" text COLLATE "C" NOT NULL,
	"currency" text NOT NULL,
	"count" integer NOT NULL,
	"amount" numeric NOT NULL,
	"digest" text NOT NULL,
	"lines" jsonb NOT NULL,
	"import_id" text COLLATE "C",
	"replaced_by" text COLLATE "C",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "charge_sets_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "charges" (
	"customer_id" text COLLATE "C" NOT NULL,
	"set_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"detail" text,
	"category" text NOT NULL,
	"class" text,
	"service" text NOT NULL,
	"description" text,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"billing_account" text NOT NULL,
	"sub_account" text,
	"quantity" numeric,
	"unit" text,
	"billed_cost" numeric NOT NULL,
	"tags" jsonb,
	CONSTRAINT "charges_customer_id_set_id_position_pk" PRIMARY KEY("customer_id","set_id","position")
);
--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "detail_id" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "charge_category" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "grain" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "payment_currency" text;--> statement-breakpoint
ALTER TABLE "line_items" ADD COLUMN "payment_amount" numeric;--> statement-breakpoint
ALTER TABLE "charge_sets" ADD CONSTRAINT "charge_sets_customer_id_import_id_imports_customer_id_id_fk" FOREIGN KEY ("customer_id","import_id") REFERENCES "public"."imports"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "charge_sets" ADD CONSTRAINT "charge_sets_customer_id_replaced_by_imports_customer_id_id_fk" FOREIGN KEY ("customer_id","replaced_by") REFERENCES "public"."imports"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "charges" ADD CONSTRAINT "charges_customer_id_set_id_charge_sets_customer_id_id_fk" FOREIGN KEY ("customer_id","set_id") REFERENCES "public"."charge_sets"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "charge_sets_bill" ON "charge_sets" USING btree ("customer_id","issuer","number") WHERE "charge_sets"."replaced_by" IS NULL;--> statement-breakpoint
CREATE INDEX "charge_sets_import" ON "charge_sets" USING btree ("customer_id","import_id");--> statement-breakpoint
CREATE INDEX "charge_sets_replaced" ON "charge_sets" USING btree ("customer_id","replaced_by") WHERE "charge_sets"."replaced_by" IS NOT NULL;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON charge_sets, charges TO console_app;--> statement-breakpoint
-- An import that brings others says so of those that were there, and undoing it takes that back.
GRANT UPDATE (replaced_by) ON charge_sets TO console_app;--> statement-breakpoint
GRANT SELECT ON charge_sets, charges TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE charge_sets ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE charge_sets FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON charge_sets TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('charge_sets');--> statement-breakpoint
ALTER TABLE charges ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE charges FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON charges TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('charges');
