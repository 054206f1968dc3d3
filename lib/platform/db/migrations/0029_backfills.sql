CREATE TABLE "backfills" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at_customer" text COLLATE "C" DEFAULT '' NOT NULL,
	"after_row" text,
	"count" bigint DEFAULT 0 NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"moved_at" timestamp with time zone,
	"finished_at" timestamp with time zone DEFAULT CASE WHEN pg_relation_size('public.customers'::regclass) = 0 THEN now() END
);
--> statement-breakpoint
-- What reads filled rows asks whether they are; the job alone says so.
GRANT SELECT ON backfills TO console_app;--> statement-breakpoint
GRANT SELECT, UPDATE (at_customer, after_row, count, moved_at, finished_at) ON backfills TO console_jobs;
--> statement-breakpoint
-- For a later migration that takes away what a backfill reads, or demands what it writes: stops where it is not finished.
CREATE FUNCTION needs_backfill(wanted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM backfills WHERE name = wanted AND finished_at IS NOT NULL) THEN
    RAISE EXCEPTION 'The backfill % is not finished. With the release before this one, run: npm run -s admin -- database backfill', wanted;
  END IF;
END $$;
