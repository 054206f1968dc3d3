-- Single sign-on: where a customer's people sign in, which mail domains are theirs, and who is who there.
CREATE TABLE "begun_sign_ons" (
	"digest" text COLLATE "C" PRIMARY KEY NOT NULL,
	"provider_id" text COLLATE "C" NOT NULL,
	"return_to" text NOT NULL,
	"fresh_member" text COLLATE "C",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_providers" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"issuer" text COLLATE "C" NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text NOT NULL,
	"scopes" text[] NOT NULL,
	"verified_claim" text DEFAULT 'email_verified' NOT NULL,
	"join_roles" text[],
	"mappings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"off_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identity_providers_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "identity_providers_roles" CHECK ("identity_providers"."join_roles" <@ array['it-manager','finance-user','admin'])
);
--> statement-breakpoint
CREATE TABLE "sign_on_domains" (
	"customer_id" text COLLATE "C" NOT NULL,
	"domain" text COLLATE "C" NOT NULL,
	"provider_id" text COLLATE "C" NOT NULL,
	"token" text NOT NULL,
	"proven_at" timestamp with time zone,
	"proven_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_on_domains_customer_id_domain_pk" PRIMARY KEY("customer_id","domain"),
	CONSTRAINT "sign_on_domains_proven_by" CHECK ("sign_on_domains"."proven_by" in ('dns', 'operator'))
);
--> statement-breakpoint
CREATE TABLE "sign_on_sessions" (
	"customer_id" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"provider_id" text COLLATE "C" NOT NULL,
	"id_token" text NOT NULL,
	CONSTRAINT "sign_on_sessions_customer_id_digest_pk" PRIMARY KEY("customer_id","digest")
);
--> statement-breakpoint
CREATE TABLE "sign_on_subjects" (
	"customer_id" text COLLATE "C" NOT NULL,
	"provider_id" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_sign_in_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_on_subjects_customer_id_provider_id_subject_pk" PRIMARY KEY("customer_id","provider_id","subject")
);
--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "sign_on_only_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_on_domains" ADD CONSTRAINT "sign_on_domains_customer_id_provider_id_identity_providers_customer_id_id_fk" FOREIGN KEY ("customer_id","provider_id") REFERENCES "public"."identity_providers"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_on_sessions" ADD CONSTRAINT "sign_on_sessions_customer_id_digest_sessions_customer_id_digest_fk" FOREIGN KEY ("customer_id","digest") REFERENCES "public"."sessions"("customer_id","digest") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_on_sessions" ADD CONSTRAINT "sign_on_sessions_customer_id_provider_id_identity_providers_customer_id_id_fk" FOREIGN KEY ("customer_id","provider_id") REFERENCES "public"."identity_providers"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_on_subjects" ADD CONSTRAINT "sign_on_subjects_customer_id_provider_id_identity_providers_customer_id_id_fk" FOREIGN KEY ("customer_id","provider_id") REFERENCES "public"."identity_providers"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_on_subjects" ADD CONSTRAINT "sign_on_subjects_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "begun_sign_ons_oldest" ON "begun_sign_ons" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "identity_providers_id" ON "identity_providers" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "identity_providers_name" ON "identity_providers" USING btree ("customer_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_on_domains_proven" ON "sign_on_domains" USING btree ("domain") WHERE "sign_on_domains"."proven_at" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "sign_on_subjects_member" ON "sign_on_subjects" USING btree ("customer_id","member_id","provider_id");--> statement-breakpoint
-- Who signs in is led to an issuer by the domain of their address, and comes back with a provider's id: no customer is known.
GRANT SELECT (customer_id, id, name, issuer, client_id, client_secret, scopes, verified_claim, join_roles, mappings, off_at) ON identity_providers TO console_sign_in;--> statement-breakpoint
GRANT SELECT (customer_id, domain, provider_id, proven_at) ON sign_on_domains TO console_sign_in;--> statement-breakpoint
GRANT SELECT (customer_id, provider_id, subject, member_id) ON sign_on_subjects TO console_sign_in;--> statement-breakpoint
GRANT SELECT ON sign_on_sessions TO console_sign_in;--> statement-breakpoint
GRANT SELECT (sign_on_only_since) ON customers TO console_sign_in;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON begun_sign_ons TO console_sign_in;--> statement-breakpoint
-- In a customer's scope the secret can be set and not read.
GRANT SELECT (customer_id, id, name, issuer, client_id, scopes, verified_claim, join_roles, mappings, changed_at, off_at, created_at), INSERT, UPDATE ON identity_providers TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, issuer, client_id, scopes, verified_claim, join_roles, mappings, changed_at, off_at, created_at) ON identity_providers TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_on_domains, sign_on_subjects TO console_app;--> statement-breakpoint
GRANT SELECT ON sign_on_domains, sign_on_subjects TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (customer_id, digest, provider_id), INSERT, DELETE ON sign_on_sessions TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, digest, provider_id) ON sign_on_sessions TO console_reads, console_streams;--> statement-breakpoint
GRANT UPDATE (sign_on_only_since) ON customers TO console_app;--> statement-breakpoint
ALTER TABLE identity_providers ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE identity_providers FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON identity_providers TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON identity_providers FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
ALTER TABLE sign_on_domains ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE sign_on_domains FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON sign_on_domains TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON sign_on_domains FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
ALTER TABLE sign_on_subjects ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE sign_on_subjects FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON sign_on_subjects TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON sign_on_subjects FOR SELECT TO console_sign_in USING (true);--> statement-breakpoint
ALTER TABLE sign_on_sessions ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE sign_on_sessions FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON sign_on_sessions TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON sign_on_sessions FOR SELECT TO console_sign_in USING (true);
--> statement-breakpoint
SELECT wall_of_owner('identity_providers');--> statement-breakpoint
SELECT wall_of_owner('sign_on_domains');--> statement-breakpoint
SELECT wall_of_owner('sign_on_subjects');--> statement-breakpoint
SELECT wall_of_owner('sign_on_sessions');
