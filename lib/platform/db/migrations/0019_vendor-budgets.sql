CREATE TABLE "vendor_budgets" (
	"vendor" text COLLATE "C" NOT NULL,
	"account" text COLLATE "C" NOT NULL,
	"api" text COLLATE "C" NOT NULL,
	"tokens" double precision NOT NULL,
	"refilled_at" timestamp with time zone NOT NULL,
	"closed_until" timestamp with time zone,
	"closed_for" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "vendor_budgets_vendor_account_api_pk" PRIMARY KEY("vendor","account","api"),
	CONSTRAINT "vendor_budgets_tokens" CHECK ("vendor_budgets"."tokens" >= 0)
);
--> statement-breakpoint
GRANT SELECT, INSERT ON vendor_budgets TO console_jobs;--> statement-breakpoint
GRANT UPDATE (tokens, refilled_at, closed_until, closed_for) ON vendor_budgets TO console_jobs;
