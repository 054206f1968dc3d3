-- Names for addresses of lists, and the columns that each member sees in them.
CREATE TABLE "list_columns" (
	"customer_id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C" NOT NULL,
	"list" text NOT NULL,
	"columns" text[] NOT NULL,
	CONSTRAINT "list_columns_customer_id_member_id_list_pk" PRIMARY KEY("customer_id","member_id","list")
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"member_id" text COLLATE "C",
	"name" text NOT NULL,
	"path" text NOT NULL,
	"query" text NOT NULL,
	"is_pinned" boolean NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_views_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "saved_views_position" CHECK ("saved_views"."position" >= 0)
);
--> statement-breakpoint
ALTER TABLE "list_columns" ADD CONSTRAINT "list_columns_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_customer_id_member_id_members_customer_id_id_fk" FOREIGN KEY ("customer_id","member_id") REFERENCES "public"."members"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_own_name" ON "saved_views" USING btree ("customer_id","member_id",folded("name")) WHERE "saved_views"."member_id" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_shared_name" ON "saved_views" USING btree ("customer_id",folded("name")) WHERE "saved_views"."member_id" IS NULL;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (member_id, name, query, is_pinned, position), DELETE ON saved_views TO console_app;--> statement-breakpoint
GRANT SELECT ON saved_views TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON saved_views TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('saved_views');--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (columns), DELETE ON list_columns TO console_app;--> statement-breakpoint
GRANT SELECT ON list_columns TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE list_columns ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE list_columns FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON list_columns TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('list_columns');
