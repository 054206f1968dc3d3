-- One outbox for mails and webhooks, and the endpoints of webhooks with their calls.
CREATE SEQUENCE "public"."outbox_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "daily_events" (
	"customer_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"object_id" text COLLATE "C" NOT NULL,
	"on" date NOT NULL,
	CONSTRAINT "daily_events_customer_id_kind_object_id_on_pk" PRIMARY KEY("customer_id","kind","object_id","on")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"seq" bigint DEFAULT nextval('outbox_seq') NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"recipient" text COLLATE "C" NOT NULL,
	"lane" text COLLATE "C",
	"content" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"state" text DEFAULT 'WAITING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"failing_since" timestamp with time zone,
	"reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "outbox_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "outbox_state" CHECK ("outbox"."state" in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN'))
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"customer_id" text COLLATE "C" NOT NULL,
	"message_id" text COLLATE "C" NOT NULL,
	"number" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"took_ms" integer NOT NULL,
	"url" text NOT NULL,
	"status" integer,
	"response" text,
	"reason" text,
	CONSTRAINT "webhook_attempts_customer_id_message_id_number_pk" PRIMARY KEY("customer_id","message_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"kinds" text[],
	"billing_profiles" text[],
	"owner_id" text COLLATE "C" NOT NULL,
	"secret" text NOT NULL,
	"former_secret" text,
	"former_until" timestamp with time zone,
	"paused_at" timestamp with time zone,
	"pause_reason" text,
	"failing_since" timestamp with time zone,
	"retry_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoints_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "webhook_endpoints_paused" CHECK (("webhook_endpoints"."paused_at" is null) = ("webhook_endpoints"."pause_reason" is null)),
	CONSTRAINT "webhook_endpoints_reason" CHECK ("webhook_endpoints"."pause_reason" in ('BY_ADMIN', 'FAILING', 'ACCESS_LOST'))
);
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_customer_id_message_id_outbox_customer_id_id_fk" FOREIGN KEY ("customer_id","message_id") REFERENCES "public"."outbox"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_customer_id_owner_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","owner_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "outbox_due" ON "outbox" USING btree ("customer_id","not_before") WHERE state in ('WAITING', 'SENDING');--> statement-breakpoint
CREATE INDEX "outbox_order" ON "outbox" USING btree ("customer_id","seq") WHERE state in ('WAITING', 'SENDING');--> statement-breakpoint
CREATE INDEX "outbox_lane" ON "outbox" USING btree ("customer_id","lane","seq") WHERE state in ('WAITING', 'SENDING');--> statement-breakpoint
CREATE INDEX "outbox_recipient" ON "outbox" USING btree ("customer_id","recipient","created_at","id");--> statement-breakpoint
GRANT USAGE ON SEQUENCE outbox_seq TO console_app, console_sign_in;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE, UPDATE (state, attempts, not_before, failing_since, reason, ended_at) ON outbox TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoints TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON webhook_attempts, daily_events TO console_app;--> statement-breakpoint
GRANT SELECT ON outbox, webhook_endpoints, webhook_attempts, daily_events TO console_reads, console_streams;--> statement-breakpoint
-- The worker and the daily job find the customers that they enter.
GRANT SELECT (customer_id, kind, state, not_before, created_at) ON outbox TO console_jobs;--> statement-breakpoint
GRANT SELECT (customer_id, paused_at, created_at) ON webhook_endpoints TO console_jobs;--> statement-breakpoint
-- A request for a forgotten password has no customer yet.
GRANT INSERT (customer_id, kind, recipient) ON outbox TO console_sign_in;--> statement-breakpoint
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE outbox FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON outbox TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON webhook_endpoints TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE webhook_attempts FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON webhook_attempts TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE daily_events ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE daily_events FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON daily_events TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY due ON outbox FOR SELECT TO console_jobs USING (state IN ('WAITING', 'SENDING'));--> statement-breakpoint
CREATE POLICY due ON webhook_endpoints FOR SELECT TO console_jobs USING (true);--> statement-breakpoint
CREATE POLICY request ON outbox FOR INSERT TO console_sign_in WITH CHECK (customer_id = '');--> statement-breakpoint
SELECT wall_of_owner('outbox');--> statement-breakpoint
SELECT wall_of_owner('webhook_endpoints');--> statement-breakpoint
SELECT wall_of_owner('webhook_attempts');--> statement-breakpoint
SELECT wall_of_owner('daily_events');
