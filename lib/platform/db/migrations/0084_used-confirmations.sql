CREATE TABLE "used_confirmations" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "used_confirmations_customer_id_id_pk" PRIMARY KEY("customer_id","id")
);
--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON used_confirmations TO console_app;--> statement-breakpoint
GRANT SELECT ON used_confirmations TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE used_confirmations ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE used_confirmations FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON used_confirmations TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('used_confirmations');
