CREATE TABLE "api_keys" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"prefix" text NOT NULL,
	"last_four" text NOT NULL,
	"roles" text[] NOT NULL,
	"billing_profiles" text[],
	"issued_by" text COLLATE "C",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "api_keys_roles" CHECK ("api_keys"."roles" <@ array['it-manager','finance-user','admin'])
);
--> statement-breakpoint
CREATE TABLE "assets" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"customer_domain" text NOT NULL,
	"vendor_customer_id" text NOT NULL,
	"reseller" text NOT NULL,
	"vendor" text DEFAULT 'built-in' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"subscription_id" text,
	"sku_id" text,
	"sku_name" text,
	"billing_method" text,
	"status" text,
	"purchase_order_id" text,
	"resource_ui_url" text,
	"plan_name" text,
	"is_commitment_plan" boolean,
	"commitment_start" timestamp with time zone,
	"commitment_end" timestamp with time zone,
	"renewal_type" text,
	"seats_purchased" integer,
	"seats_maximum" integer,
	"seats_assigned" integer,
	"seat_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "assets_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "assets_id_starts_with_type" CHECK (starts_with("assets"."id", "assets"."type" || '-')),
	CONSTRAINT "assets_seats" CHECK (least("assets"."seats_purchased", "assets"."seats_maximum", "assets"."seats_assigned") >= 0),
	CONSTRAINT "assets_subscription_whole" CHECK (num_nonnulls("assets"."subscription_id", "assets"."sku_id", "assets"."sku_name", "assets"."billing_method", "assets"."status", "assets"."plan_name", "assets"."is_commitment_plan", "assets"."seats_purchased", "assets"."seats_maximum", "assets"."seats_assigned") in (0, 10))
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"request_id" text NOT NULL,
	"details" jsonb NOT NULL,
	CONSTRAINT "audit_events_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "billing_profiles" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"address" text,
	"tax_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_profiles_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"domain" text NOT NULL,
	"contact_email" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customers_domain_unique" UNIQUE("domain")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"billing_profile_id" text COLLATE "C" NOT NULL,
	"platform" text NOT NULL,
	"issuer" text NOT NULL,
	"invoice_date" date NOT NULL,
	"due_date" date NOT NULL,
	"currency" text NOT NULL,
	"total_amount" numeric NOT NULL,
	"balance_amount" numeric NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invoices_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "invoices_currency" CHECK ("invoices"."currency" ~ '^[A-Z]{3}$'),
	CONSTRAINT "invoices_dates" CHECK ("invoices"."due_date" >= "invoices"."invoice_date")
);
--> statement-breakpoint
CREATE TABLE "license_changes" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"asset_id" text COLLATE "C" NOT NULL,
	"from_quantity" integer NOT NULL,
	"to_quantity" integer NOT NULL,
	"state" text NOT NULL,
	"vendor_reason" text,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "license_changes_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "license_changes_state" CHECK ("license_changes"."state" in ('APPLIED', 'REJECTED')),
	CONSTRAINT "license_changes_quantities" CHECK (least("license_changes"."from_quantity", "license_changes"."to_quantity") >= 0)
);
--> statement-breakpoint
CREATE TABLE "line_items" (
	"customer_id" text COLLATE "C" NOT NULL,
	"invoice_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"type" text NOT NULL,
	"description" text NOT NULL,
	"price" numeric NOT NULL,
	"qty" numeric NOT NULL,
	"currency" text NOT NULL,
	"details" text,
	CONSTRAINT "line_items_customer_id_invoice_id_position_pk" PRIMARY KEY("customer_id","invoice_id","position")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text,
	"roles" text[] NOT NULL,
	"billing_profiles" text[],
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "members_roles" CHECK ("members"."roles" <@ array['it-manager','finance-user','admin'])
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"customer_id" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_customer_id_digest_pk" PRIMARY KEY("customer_id","digest")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_customer_id_issued_by_members_customer_id_id_fk" FOREIGN KEY ("customer_id","issued_by") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD CONSTRAINT "billing_profiles_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_billing_profile_id_billing_profiles_customer_id_id_fk" FOREIGN KEY ("customer_id","billing_profile_id") REFERENCES "public"."billing_profiles"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "license_changes" ADD CONSTRAINT "license_changes_customer_id_asset_id_assets_customer_id_id_fk" FOREIGN KEY ("customer_id","asset_id") REFERENCES "public"."assets"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "line_items" ADD CONSTRAINT "line_items_customer_id_invoice_id_invoices_customer_id_id_fk" FOREIGN KEY ("customer_id","invoice_id") REFERENCES "public"."invoices"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_digest" ON "api_keys" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "assets_newest" ON "assets" USING btree ("customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "assets_type_newest" ON "assets" USING btree ("customer_id","type","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_newest" ON "invoices" USING btree ("customer_id","invoice_date","id");--> statement-breakpoint
CREATE INDEX "invoices_platform_newest" ON "invoices" USING btree ("customer_id","platform","invoice_date","id");--> statement-breakpoint
CREATE INDEX "license_changes_newest" ON "license_changes" USING btree ("customer_id","asset_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "members_email" ON "members" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_digest" ON "sessions" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "sessions_member" ON "sessions" USING btree ("customer_id","member_id");