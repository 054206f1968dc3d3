-- Second factors hang on people. Only the login of sign-in reads what is secret of them, or public keys; in a customer's
-- scope stands what its members see of theirs.
CREATE TABLE "recovery_codes" (
	"id" text COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid()::text NOT NULL,
	"person_id" text COLLATE "C" NOT NULL,
	"reach" text COLLATE "C",
	"digest" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"id" text COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid()::text NOT NULL,
	"person_id" text COLLATE "C" NOT NULL,
	"reach" text COLLATE "C",
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"secret" text,
	"last_step" bigint,
	"credential" text COLLATE "C",
	"public_key" text,
	"counter" bigint,
	"transports" text[],
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "second_factors_kind" CHECK ("second_factors"."kind" in ('totp', 'passkey')),
	CONSTRAINT "second_factors_whole" CHECK (CASE WHEN "second_factors"."kind" = 'totp' THEN "second_factors"."secret" IS NOT NULL
        ELSE "second_factors"."credential" IS NOT NULL AND "second_factors"."public_key" IS NOT NULL AND "second_factors"."counter" IS NOT NULL END)
);
--> statement-breakpoint
CREATE TABLE "spent_challenges" (
	"digest" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "account_mails" DROP CONSTRAINT "account_mails_event";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "demands_factor" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "factors_reset_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "picked" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "provider_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "id_token" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "proven" text[];--> statement-breakpoint
CREATE UNIQUE INDEX "recovery_codes_digest" ON "recovery_codes" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "recovery_codes_person" ON "recovery_codes" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "second_factors_person" ON "second_factors" USING btree ("person_id");--> statement-breakpoint
CREATE UNIQUE INDEX "second_factors_credential" ON "second_factors" USING btree ("credential");--> statement-breakpoint
CREATE UNIQUE INDEX "second_factors_app" ON "second_factors" USING btree ("person_id",coalesce("reach", '')) WHERE "second_factors"."kind" = 'totp';--> statement-breakpoint
CREATE INDEX "spent_challenges_oldest" ON "spent_challenges" USING btree ("at");--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used')) NOT VALID;--> statement-breakpoint
GRANT SELECT, UPDATE (last_step, counter, last_used_at) ON second_factors TO console_sign_in;--> statement-breakpoint
GRANT SELECT ON recovery_codes TO console_sign_in;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON spent_challenges TO console_sign_in;--> statement-breakpoint
GRANT SELECT (factors_reset_at) ON members TO console_app, console_reads, console_streams, console_sign_in;--> statement-breakpoint
GRANT SELECT (demands_factor) ON customers TO console_sign_in;--> statement-breakpoint
GRANT UPDATE (demands_factor) ON customers TO console_app;--> statement-breakpoint
GRANT SELECT (proven) ON sessions TO console_sign_in;--> statement-breakpoint
GRANT UPDATE (proven) ON sessions TO console_app;--> statement-breakpoint
GRANT SELECT (id, person_id, reach, kind, name, created_at, last_used_at), INSERT, DELETE ON second_factors TO console_app;--> statement-breakpoint
GRANT SELECT (id, person_id, reach, kind, name, created_at, last_used_at) ON second_factors TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (id, person_id, reach, created_at, used_at), INSERT, DELETE, UPDATE (used_at) ON recovery_codes TO console_app;--> statement-breakpoint
GRANT SELECT (id, person_id, reach, created_at, used_at) ON recovery_codes TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE second_factors ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE second_factors FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY look_up ON second_factors TO console_sign_in USING (true);--> statement-breakpoint
-- What counts at another customer alone is not seen here, nor that there is one.
CREATE POLICY own ON second_factors TO console_app, console_reads, console_streams
  USING ((reach IS NULL OR reach = current_setting('console.customer', true)) AND EXISTS (
    SELECT FROM members m WHERE m.customer_id = current_setting('console.customer', true) AND m.person_id = second_factors.person_id));--> statement-breakpoint
ALTER TABLE recovery_codes ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE recovery_codes FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY look_up ON recovery_codes FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
CREATE POLICY own ON recovery_codes TO console_app, console_reads, console_streams
  USING ((reach IS NULL OR reach = current_setting('console.customer', true)) AND EXISTS (
    SELECT FROM members m WHERE m.customer_id = current_setting('console.customer', true) AND m.person_id = recovery_codes.person_id));--> statement-breakpoint
-- What counts at one customer alone goes with it, where the owner merges or removes it.
CREATE POLICY operated ON second_factors TO CURRENT_USER
  USING (reach = ANY (string_to_array(current_setting('console.operated', true), ' ')));--> statement-breakpoint
CREATE POLICY operated ON recovery_codes TO CURRENT_USER
  USING (reach = ANY (string_to_array(current_setting('console.operated', true), ' ')));
