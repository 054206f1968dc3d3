-- Whose a credential is, in one small table, so that its row is read with its customer in the statement: keys, sessions and
-- members lie with their customer then, and no key of these tables is unique over all of them. Who writes such a row writes it;
-- triggers do the same for processes of the release before this one, which know nothing of it. A later one drops them.
CREATE TABLE "look_ups" (
	"kind" text NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	CONSTRAINT "look_ups_kind_digest_customer_id_pk" PRIMARY KEY("kind","digest","customer_id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "look_ups_credential" ON "look_ups" USING btree ("kind","digest") WHERE "look_ups"."kind" <> 'address';--> statement-breakpoint
CREATE INDEX "look_ups_row" ON "look_ups" USING btree ("customer_id","kind","id");--> statement-breakpoint
ALTER TABLE look_ups ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE look_ups FORCE ROW LEVEL SECURITY;--> statement-breakpoint
-- Each login that finds out who is calling sees the kinds that it is for. Who is in a customer's scope adds and removes that
-- customer's, and sees no digest.
CREATE POLICY own ON look_ups TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY of_keys ON look_ups FOR SELECT TO console_keys USING (kind IN ('key', 'scim-token', 'calendar-feed'));--> statement-breakpoint
CREATE POLICY of_sessions ON look_ups FOR SELECT TO console_sessions USING (kind = 'session');--> statement-breakpoint
CREATE POLICY of_sign_in ON look_ups FOR SELECT TO console_sign_in USING (kind IN ('address', 'link'));--> statement-breakpoint
GRANT SELECT ON look_ups TO console_keys, console_sessions, console_sign_in;--> statement-breakpoint
GRANT SELECT (customer_id, kind, id), INSERT, DELETE ON look_ups TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, kind, id) ON look_ups TO console_reads, console_streams;--> statement-breakpoint
-- Until it is filled they look up as the release before did.
GRANT SELECT (name, finished_at) ON backfills TO console_keys, console_sessions, console_sign_in;--> statement-breakpoint
SELECT wall_of_owner('look_ups');--> statement-breakpoint
-- No address is there in clear for a login that need not see one.
CREATE FUNCTION address_digest(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT encode(sha256(convert_to(lower(address), 'UTF8')), 'hex')
$$;--> statement-breakpoint
-- Of one row: its kind, the column that is looked up, and the column by which it is found then. As the owner, who sees the
-- rows of that customer alone while it runs, and of whom it saw before when it is done.
CREATE FUNCTION keep_look_up() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $keep$
DECLARE
  went jsonb := to_jsonb(OLD);
  came jsonb := to_jsonb(NEW);
  before text := went ->> TG_ARGV[1];
  after text := came ->> TG_ARGV[1];
  operated text := coalesce(current_setting('console.operated', true), '');
BEGIN
  IF TG_ARGV[0] = 'address' THEN
    before := address_digest(before);
    after := address_digest(after);
  END IF;
  IF before IS NOT DISTINCT FROM after THEN
    RETURN NULL;
  END IF;
  PERFORM set_config('console.operated', coalesce(came, went) ->> 'customer_id', true);
  DELETE FROM look_ups WHERE kind = TG_ARGV[0] AND digest = before AND customer_id = went ->> 'customer_id'
    AND id = went ->> TG_ARGV[2];
  IF after IS NOT NULL THEN
    INSERT INTO look_ups (kind, digest, customer_id, id)
      VALUES (TG_ARGV[0], after, came ->> 'customer_id', came ->> TG_ARGV[2])
      ON CONFLICT (kind, digest, customer_id) DO UPDATE SET id = excluded.id WHERE look_ups.id <> excluded.id;
  END IF;
  PERFORM set_config('console.operated', operated, true);
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER look_up AFTER INSERT OR DELETE OR UPDATE OF digest ON api_keys
  FOR EACH ROW EXECUTE FUNCTION keep_look_up('key', 'digest', 'id');--> statement-breakpoint
CREATE TRIGGER look_up AFTER INSERT OR DELETE OR UPDATE OF digest ON sessions
  FOR EACH ROW EXECUTE FUNCTION keep_look_up('session', 'digest', 'digest');--> statement-breakpoint
CREATE TRIGGER look_up AFTER INSERT OR DELETE OR UPDATE OF digest ON scim_tokens
  FOR EACH ROW EXECUTE FUNCTION keep_look_up('scim-token', 'digest', 'id');--> statement-breakpoint
CREATE TRIGGER look_up AFTER INSERT OR DELETE OR UPDATE OF digest ON calendar_feeds
  FOR EACH ROW EXECUTE FUNCTION keep_look_up('calendar-feed', 'digest', 'member_id');--> statement-breakpoint
CREATE TRIGGER look_up AFTER INSERT OR DELETE OR UPDATE OF digest ON account_links
  FOR EACH ROW EXECUTE FUNCTION keep_look_up('link', 'digest', 'id');--> statement-breakpoint
CREATE TRIGGER look_up AFTER INSERT OR DELETE OR UPDATE OF email ON members
  FOR EACH ROW EXECUTE FUNCTION keep_look_up('address', 'email', 'id');--> statement-breakpoint
-- The same for all rows of the customer whom the transaction names: for those that were there before the triggers.
CREATE FUNCTION fill_look_ups() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $fill$
DECLARE
  own text := current_setting('console.customer', true);
  operated text := coalesce(current_setting('console.operated', true), '');
  filled bigint;
BEGIN
  PERFORM set_config('console.operated', own, true);
  INSERT INTO look_ups (kind, digest, customer_id, id)
    SELECT 'key', digest, customer_id, id FROM api_keys WHERE customer_id = own
    UNION ALL SELECT 'session', digest, customer_id, digest FROM sessions WHERE customer_id = own
    UNION ALL SELECT 'scim-token', digest, customer_id, id FROM scim_tokens WHERE customer_id = own
    UNION ALL SELECT 'calendar-feed', digest, customer_id, member_id FROM calendar_feeds WHERE customer_id = own
    UNION ALL SELECT 'link', digest, customer_id, id FROM account_links WHERE customer_id = own AND digest IS NOT NULL
    UNION ALL SELECT 'address', address_digest(email), customer_id, id FROM members WHERE customer_id = own
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS filled = ROW_COUNT;
  -- What went while this was written has nobody else who would take it away.
  DELETE FROM look_ups l WHERE customer_id = own AND NOT CASE kind
    WHEN 'key' THEN EXISTS (SELECT FROM api_keys r WHERE r.customer_id = own AND r.id = l.id AND r.digest = l.digest)
    WHEN 'session' THEN EXISTS (SELECT FROM sessions r WHERE r.customer_id = own AND r.digest = l.digest)
    WHEN 'scim-token' THEN EXISTS (SELECT FROM scim_tokens r WHERE r.customer_id = own AND r.id = l.id AND r.digest = l.digest)
    WHEN 'calendar-feed' THEN EXISTS (SELECT FROM calendar_feeds r WHERE r.customer_id = own AND r.member_id = l.id AND r.digest = l.digest)
    WHEN 'link' THEN EXISTS (SELECT FROM account_links r WHERE r.customer_id = own AND r.id = l.id AND r.digest = l.digest)
    ELSE EXISTS (SELECT FROM members r WHERE r.customer_id = own AND r.id = l.id AND address_digest(r.email) = l.digest) END;
  PERFORM set_config('console.operated', operated, true);
  RETURN filled;
END $fill$;--> statement-breakpoint
INSERT INTO backfills (name) VALUES ('look-ups');
