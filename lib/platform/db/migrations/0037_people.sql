-- A person (address, password) and their memberships are two things. Each member's person is found, or made, by a trigger:
-- nobody who adds a member sees whom other customers have, and what the release before this one writes gets it too.
-- The present passwords stay where they are: each opens the membership on which it stands.
CREATE TABLE "account_links" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"digest" text COLLATE "C",
	"made_by" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"withdrawn_at" timestamp with time zone,
	"state" text,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text,
	CONSTRAINT "account_links_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "account_links_kind" CHECK ("account_links"."kind" in ('invitation', 'reset')),
	CONSTRAINT "account_links_state" CHECK ("account_links"."state" in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN'))
);
--> statement-breakpoint
CREATE TABLE "pending_sign_ins" (
	"digest" text COLLATE "C" PRIMARY KEY NOT NULL,
	"person_id" text COLLATE "C" NOT NULL,
	"proof" text COLLATE "C" NOT NULL,
	"proven" text[] NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "people" (
	"id" text COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid()::text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recoveries" (
	"id" text COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid()::text NOT NULL,
	"email" text NOT NULL,
	"person_id" text COLLATE "C",
	"digest" text COLLATE "C",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"used_at" timestamp with time zone,
	"withdrawn_at" timestamp with time zone,
	"state" text DEFAULT 'WAITING' NOT NULL,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text,
	CONSTRAINT "recoveries_state" CHECK ("recoveries"."state" in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN'))
);
--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "person_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "invited_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "proof" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_links_digest" ON "account_links" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "account_links_member" ON "account_links" USING btree ("customer_id","member_id");--> statement-breakpoint
CREATE INDEX "pending_sign_ins_oldest" ON "pending_sign_ins" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "people_email" ON "people" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "recoveries_digest" ON "recoveries" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "recoveries_person" ON "recoveries" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "recoveries_oldest" ON "recoveries" USING btree ("created_at");--> statement-breakpoint
CREATE FUNCTION person_of_member() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO people (email) VALUES (NEW.email) ON CONFLICT (lower(email)) DO NOTHING;
  SELECT id INTO NEW.person_id FROM people WHERE lower(email) = lower(NEW.email);
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER person BEFORE INSERT OR UPDATE OF email, person_id ON members FOR EACH ROW EXECUTE FUNCTION person_of_member();--> statement-breakpoint
-- Who signs in is looked up by address, with all memberships, before any customer is known.
GRANT SELECT (id, email, password_hash) ON people TO console_sign_in;--> statement-breakpoint
GRANT SELECT (person_id, invited_at) ON members TO console_app, console_reads, console_streams, console_sign_in;--> statement-breakpoint
GRANT SELECT (id, name, domain) ON customers TO console_sign_in;--> statement-breakpoint
GRANT SELECT (customer_id, digest, created_at, member_id, proof) ON sessions TO console_sign_in;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON pending_sign_ins, recoveries TO console_sign_in;--> statement-breakpoint
GRANT SELECT (customer_id, id, member_id, kind, digest, expires_at, used_at, withdrawn_at, state) ON account_links TO console_sign_in;--> statement-breakpoint
ALTER POLICY look_up ON customers TO console_access, console_keys, console_sessions, console_jobs, console_sign_in;--> statement-breakpoint
ALTER POLICY look_up ON sessions TO console_access, console_sessions, console_sign_in;--> statement-breakpoint
-- In a customer's scope a person is an id, for those who are its members, whose password can be set and not read.
GRANT SELECT (id), UPDATE (password_hash) ON people TO console_app;--> statement-breakpoint
GRANT SELECT (id) ON people TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (id, person_id, expires_at, used_at, withdrawn_at), UPDATE (used_at, withdrawn_at) ON recoveries TO console_app;--> statement-breakpoint
GRANT SELECT (id, person_id, expires_at, used_at, withdrawn_at) ON recoveries TO console_reads, console_streams;--> statement-breakpoint
GRANT UPDATE (proof) ON sessions TO console_app;--> statement-breakpoint
-- Without FORCE: the trigger is the owner.
ALTER TABLE people ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY look_up ON people FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
CREATE POLICY own ON people TO console_app, console_reads, console_streams USING (EXISTS (
  SELECT FROM members m WHERE m.customer_id = current_setting('console.customer', true) AND m.person_id = people.id));--> statement-breakpoint
ALTER TABLE recoveries ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY look_up ON recoveries TO console_sign_in USING (true);--> statement-breakpoint
CREATE POLICY own ON recoveries TO console_app, console_reads, console_streams USING (EXISTS (
  SELECT FROM members m WHERE m.customer_id = current_setting('console.customer', true) AND m.person_id = recoveries.person_id));--> statement-breakpoint
GRANT SELECT (customer_id, id, member_id, kind, made_by, created_at, expires_at, used_at, withdrawn_at, state, not_before, reason), INSERT, UPDATE, DELETE ON account_links TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, member_id, kind, made_by, created_at, expires_at, used_at, withdrawn_at, state, not_before, reason) ON account_links TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (customer_id, state, not_before) ON account_links TO console_jobs;--> statement-breakpoint
ALTER TABLE account_links ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE account_links FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON account_links TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON account_links FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
CREATE POLICY due ON account_links FOR SELECT TO console_jobs USING (state IN ('WAITING', 'SENDING'));--> statement-breakpoint
-- The members that were there before.
INSERT INTO backfills (name) VALUES ('people');
