CREATE TABLE "issuers" (
	"customer_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"address" text,
	"tax_id" text,
	"bank" text,
	"iban" text,
	"bic" text,
	"account" text,
	"terms" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "issuers_customer_id_name_pk" PRIMARY KEY("customer_id","name")
);
--> statement-breakpoint
ALTER TABLE "issuers" ADD CONSTRAINT "issuers_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON issuers TO console_app;--> statement-breakpoint
ALTER TABLE issuers ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE issuers FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON issuers TO console_app USING (customer_id = current_setting('console.customer', true));
