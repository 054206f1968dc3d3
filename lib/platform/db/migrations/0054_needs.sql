-- What needs somebody: what each member has put aside, whether prices of licenses are shown, and a mail once a week.
CREATE TABLE "need_dismissals" (
	"customer_id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"need_id" text COLLATE "C" NOT NULL,
	"version" text NOT NULL,
	"dismissed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "need_dismissals_customer_id_member_id_need_id_pk" PRIMARY KEY("customer_id","member_id","need_id")
);
--> statement-breakpoint
ALTER TABLE "notice_recipients" DROP CONSTRAINT "notice_recipients_stopped";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "hides_prices" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notice_mails" ADD COLUMN "tells_needs" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notice_recipients" ADD COLUMN "needs_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "need_dismissals" ADD CONSTRAINT "need_dismissals_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_recipients" ADD CONSTRAINT "notice_recipients_stopped" CHECK ("notice_recipients"."stopped" <@ array['new','due','past-due','licenses','needs']) NOT VALID;--> statement-breakpoint
-- What was put aside is brought back, and goes with time.
GRANT SELECT, INSERT, UPDATE (version, dismissed_at), DELETE ON need_dismissals TO console_app;--> statement-breakpoint
GRANT SELECT ON need_dismissals TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE need_dismissals ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE need_dismissals FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON need_dismissals TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('need_dismissals');--> statement-breakpoint
GRANT UPDATE (hides_prices) ON customers TO console_app;--> statement-breakpoint
GRANT UPDATE (needs_since) ON notice_recipients TO console_app;--> statement-breakpoint
-- The job that sends notices finds whom else it has to write to.
GRANT SELECT (needs_since) ON notice_recipients TO console_jobs;--> statement-breakpoint
CREATE POLICY weekly ON notice_recipients FOR SELECT TO console_jobs USING (needs_since IS NOT NULL);
