-- A private link for each member's calendar.
CREATE TABLE "calendar_feeds" (
	"customer_id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"last_four" text NOT NULL,
	"made_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_read_at" timestamp with time zone,
	CONSTRAINT "calendar_feeds_customer_id_member_id_pk" PRIMARY KEY("customer_id","member_id")
);
--> statement-breakpoint
ALTER TABLE "calendar_feeds" ADD CONSTRAINT "calendar_feeds_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_feeds_digest" ON "calendar_feeds" USING btree ("digest");--> statement-breakpoint
-- Who makes and revokes a link for its member sees no digest; who looks a digest up changes the last reading alone.
GRANT SELECT (customer_id, member_id, last_four, made_at, last_read_at), INSERT, UPDATE (digest, last_four, made_at, last_read_at), DELETE ON calendar_feeds TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, member_id, last_four, made_at, last_read_at) ON calendar_feeds TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (customer_id, member_id, digest, last_read_at), UPDATE (last_read_at) ON calendar_feeds TO console_keys;--> statement-breakpoint
ALTER TABLE calendar_feeds ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE calendar_feeds FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON calendar_feeds TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- Whose link it is becomes known by it.
CREATE POLICY look_up ON calendar_feeds FOR SELECT TO console_keys USING (true);--> statement-breakpoint
CREATE POLICY used ON calendar_feeds FOR UPDATE TO console_keys USING (true);--> statement-breakpoint
SELECT wall_of_owner('calendar_feeds');
