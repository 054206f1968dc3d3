CREATE TABLE "scim_group_members" (
	"customer_id" text COLLATE "C" NOT NULL,
	"group_id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "scim_group_members_customer_id_group_id_member_id_pk" PRIMARY KEY("customer_id","group_id","member_id")
);
--> statement-breakpoint
CREATE TABLE "scim_groups" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"display_name" text NOT NULL,
	"external_id" text COLLATE "C",
	"roles" text[],
	"billing_profiles" text[],
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "scim_groups_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "scim_groups_roles" CHECK ("scim_groups"."roles" <@ array['it-manager','finance-user','admin'])
);
--> statement-breakpoint
CREATE TABLE "scim_tokens" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"last_four" text NOT NULL,
	"roles" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "scim_tokens_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "scim_tokens_roles" CHECK ("scim_tokens"."roles" <@ array['it-manager','finance-user','admin'])
);
--> statement-breakpoint
CREATE TABLE "scim_users" (
	"customer_id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"external_id" text COLLATE "C",
	"given_name" text,
	"family_name" text,
	CONSTRAINT "scim_users_customer_id_member_id_pk" PRIMARY KEY("customer_id","member_id")
);
--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_customer_id_group_id_scim_groups_customer_id_id_fk" FOREIGN KEY ("customer_id","group_id") REFERENCES "public"."scim_groups"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_groups" ADD CONSTRAINT "scim_groups_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_tokens" ADD CONSTRAINT "scim_tokens_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "scim_group_members_member" ON "scim_group_members" USING btree ("customer_id","member_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scim_groups_name" ON "scim_groups" USING btree ("customer_id",lower("display_name"));--> statement-breakpoint
CREATE UNIQUE INDEX "scim_tokens_digest" ON "scim_tokens" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "scim_users_external" ON "scim_users" USING btree ("customer_id","external_id");--> statement-breakpoint
GRANT SELECT (removed_at) ON members TO console_app, console_reads, console_streams;--> statement-breakpoint
-- Who reads tokens for the customer sees no digest; who looks a digest up changes the last use alone.
GRANT SELECT (customer_id, id, name, last_four, roles, created_at, expires_at, revoked_at, last_used_at) ON scim_tokens TO console_app, console_reads, console_streams;--> statement-breakpoint
GRANT INSERT, UPDATE (revoked_at) ON scim_tokens TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, digest, roles, expires_at, revoked_at, last_used_at), UPDATE (last_used_at) ON scim_tokens TO console_keys;--> statement-breakpoint
GRANT SELECT ON scim_users, scim_groups, scim_group_members TO console_app, console_reads, console_streams;--> statement-breakpoint
GRANT INSERT, UPDATE, DELETE ON scim_users, scim_groups, scim_group_members TO console_app;--> statement-breakpoint
ALTER TABLE scim_tokens ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE scim_tokens FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON scim_tokens TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- Whose token it is becomes known by it.
CREATE POLICY look_up ON scim_tokens FOR SELECT TO console_keys USING (true);--> statement-breakpoint
CREATE POLICY used ON scim_tokens FOR UPDATE TO console_keys USING (true);--> statement-breakpoint
ALTER TABLE scim_users ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE scim_users FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON scim_users TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE scim_groups ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE scim_groups FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON scim_groups TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
ALTER TABLE scim_group_members ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE scim_group_members FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON scim_group_members TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));
--> statement-breakpoint
SELECT wall_of_owner('scim_tokens');--> statement-breakpoint
SELECT wall_of_owner('scim_users');--> statement-breakpoint
SELECT wall_of_owner('scim_groups');--> statement-breakpoint
SELECT wall_of_owner('scim_group_members');
