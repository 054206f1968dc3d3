CREATE TABLE "import_changes" (
	"customer_id" text COLLATE "C" NOT NULL,
	"import_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"invoice_id" text COLLATE "C" NOT NULL,
	"before" jsonb NOT NULL,
	CONSTRAINT "import_changes_customer_id_import_id_position_pk" PRIMARY KEY("customer_id","import_id","position")
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"files" jsonb NOT NULL,
	"report" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"undone_at" timestamp with time zone,
	CONSTRAINT "imports_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "imports_kind" CHECK ("imports"."kind" in ('focus', 'invoices', 'assets'))
);
--> statement-breakpoint
CREATE TABLE "invoice_files" (
	"customer_id" text COLLATE "C" NOT NULL,
	"invoice_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text,
	"digest" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invoice_files_customer_id_invoice_id_kind_pk" PRIMARY KEY("customer_id","invoice_id","kind"),
	CONSTRAINT "invoice_files_kind" CHECK ("invoice_files"."kind" in ('drawn', 'original-pdf', 'original-xml'))
);
--> statement-breakpoint
CREATE TABLE "line_prices" (
	"customer_id" text COLLATE "C" NOT NULL,
	"invoice_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"rule" text NOT NULL,
	"billed_cost" numeric NOT NULL,
	CONSTRAINT "line_prices_customer_id_invoice_id_position_pk" PRIMARY KEY("customer_id","invoice_id","position")
);
--> statement-breakpoint
CREATE TABLE "parties" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "parties_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
ALTER TABLE "invoices" ALTER COLUMN "issuer" SET DATA TYPE text COLLATE "C";--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "postcode" text;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "city" text;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "country" text;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD COLUMN "registration" text;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "last_seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "number" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "is_numbered" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "document_state" text DEFAULT 'issued' NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "form" text DEFAULT 'invoice' NOT NULL;--> statement-breakpoint
-- What was there keeps its id as its number. Ids that we made of a period and a digest are of no paper that a vendor issued.
ALTER TABLE "invoices" ALTER COLUMN "number" SET DATA TYPE text COLLATE "C" USING id,
  ALTER COLUMN "is_numbered" SET DATA TYPE boolean USING id !~ '^[0-9]{4}-[0-9]{2}-[0-9a-f]{8}$',
  ALTER COLUMN "form" SET DATA TYPE text USING CASE WHEN id ~ '^[0-9]{4}-[0-9]{2}-[0-9a-f]{8}$' THEN 'summary' ELSE 'invoice' END;--> statement-breakpoint
ALTER TABLE "invoices" ALTER COLUMN "number" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "billing_account" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "period_start" date;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "period_end" date;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "corrects" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "replaced_by" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "is_history" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "import_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "seller_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "buyer_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "postcode" text;--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "city" text;--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "country" text;--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "registration" text;--> statement-breakpoint
ALTER TABLE "import_changes" ADD CONSTRAINT "import_changes_customer_id_import_id_imports_customer_id_id_fk" FOREIGN KEY ("customer_id","import_id") REFERENCES "public"."imports"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoice_files" ADD CONSTRAINT "invoice_files_customer_id_invoice_id_invoices_customer_id_id_fk" FOREIGN KEY ("customer_id","invoice_id") REFERENCES "public"."invoices"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "line_prices" ADD CONSTRAINT "line_prices_customer_id_invoice_id_position_line_items_customer_id_invoice_id_position_fk" FOREIGN KEY ("customer_id","invoice_id","position") REFERENCES "public"."line_items"("customer_id","invoice_id","position") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parties" ADD CONSTRAINT "parties_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "import_changes_invoice" ON "import_changes" USING btree ("customer_id","invoice_id");--> statement-breakpoint
CREATE INDEX "imports_newest" ON "imports" USING btree ("customer_id","created_at","id");--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_replaced_by_invoices_customer_id_id_fk" FOREIGN KEY ("customer_id","replaced_by") REFERENCES "public"."invoices"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_import_id_imports_customer_id_id_fk" FOREIGN KEY ("customer_id","import_id") REFERENCES "public"."imports"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_seller_id_parties_customer_id_id_fk" FOREIGN KEY ("customer_id","seller_id") REFERENCES "public"."parties"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_buyer_id_parties_customer_id_id_fk" FOREIGN KEY ("customer_id","buyer_id") REFERENCES "public"."parties"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_number" ON "invoices" USING btree ("customer_id","issuer","number",(case when "document_state" = 'voided' then "id" else '' end));--> statement-breakpoint
CREATE INDEX "invoices_period" ON "invoices" USING btree ("customer_id","issuer","billing_account","period_start","is_numbered") WHERE "invoices"."billing_account" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "invoices_not_issued" ON "invoices" USING btree ("customer_id","invoice_date","id") WHERE "invoices"."document_state" <> 'issued';--> statement-breakpoint
CREATE INDEX "invoices_correcting" ON "invoices" USING btree ("customer_id","issuer","corrects") WHERE "invoices"."corrects" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "invoices_replaced" ON "invoices" USING btree ("customer_id","replaced_by") WHERE "invoices"."replaced_by" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_state" CHECK ("invoices"."document_state" in ('draft', 'issued', 'voided'));--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_form" CHECK ("invoices"."form" in ('invoice', 'summary'));--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_owed" CHECK ("invoices"."document_state" = 'issued' or "invoices"."balance_amount" = 0);--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_replaced_by" CHECK ("invoices"."document_state" = 'voided' or "invoices"."replaced_by" is null);--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_period" CHECK ("invoices"."period_start" < "invoices"."period_end");--> statement-breakpoint

GRANT SELECT, INSERT, UPDATE (report, undone_at) ON imports TO console_app;--> statement-breakpoint
-- Append-only: no UPDATE, DELETE or TRUNCATE.
GRANT SELECT, INSERT ON import_changes, parties, invoice_files TO console_app;--> statement-breakpoint
-- What a line cost the reseller is written by whoever imports it, and read by operators alone.
GRANT INSERT ON line_prices TO console_app;--> statement-breakpoint
GRANT SELECT ON line_prices TO console_jobs;--> statement-breakpoint
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['imports', 'import_changes', 'parties', 'invoice_files', 'line_prices'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY own ON %I TO console_app USING (customer_id = current_setting(''console.customer'', true))', t);
  END LOOP;
END $$;--> statement-breakpoint
CREATE POLICY operators ON line_prices FOR SELECT TO console_jobs USING (true);
