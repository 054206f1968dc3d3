-- Each pool logs in as a role of its own (lib/db/logins.ts). What reads a customer's rows has a login that can do nothing
-- but read, and who is calling is found by three that see what they need for it: a key, a session, a password.
-- `console_access`, as which the release before this one looks callers up, keeps its rights until all processes are of
-- this one; no login is a member of it.

GRANT USAGE ON SCHEMA public TO console_reads, console_streams, console_keys, console_sessions, console_sign_in;--> statement-breakpoint

-- The digests of passwords and keys are for who compares them, and not for whoever sees the customer's other rows.
REVOKE SELECT ON members, api_keys FROM console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, email, name, roles, billing_profiles, disabled_at, last_seen_at, created_at) ON members TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, prefix, last_four, roles, billing_profiles, issued_by, created_at, expires_at, revoked_at, last_used_at) ON api_keys TO console_app;--> statement-breakpoint

-- What `console_app` may read, `console_reads` and `console_streams` may read, behind the same wall.
DO $$
DECLARE given record;
BEGIN
  FOR given IN SELECT c.oid::regclass AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND has_table_privilege('console_app', c.oid, 'SELECT')
  LOOP
    EXECUTE format('GRANT SELECT ON %s TO console_reads, console_streams', given.name);
  END LOOP;
  FOR given IN SELECT c.oid::regclass AS name, string_agg(quote_ident(a.attname), ', ') AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT has_table_privilege('console_app', c.oid, 'SELECT')
      AND has_column_privilege('console_app', c.oid, a.attnum, 'SELECT')
    GROUP BY 1
  LOOP
    EXECUTE format('GRANT SELECT (%s) ON %s TO console_reads, console_streams', given.columns, given.name);
  END LOOP;
  FOR given IN SELECT p.polname AS policy, p.polrelid::regclass AS name FROM pg_policy p
    WHERE p.polname = 'own' AND p.polroles = ARRAY['console_app'::regrole::oid]
  LOOP
    EXECUTE format('ALTER POLICY %I ON %s TO console_app, console_reads, console_streams', given.policy, given.name);
  END LOOP;
END $$;--> statement-breakpoint

GRANT SELECT (id, name, domain, contact_email) ON customers TO console_keys;--> statement-breakpoint
GRANT SELECT (customer_id, id) ON billing_profiles TO console_keys, console_sessions;--> statement-breakpoint
GRANT SELECT (customer_id, id, email, roles, billing_profiles, disabled_at) ON members TO console_keys;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, digest, roles, billing_profiles, issued_by, expires_at, revoked_at, last_used_at), UPDATE (last_used_at) ON api_keys TO console_keys;--> statement-breakpoint

GRANT SELECT (id, name, domain) ON customers TO console_sessions;--> statement-breakpoint
GRANT SELECT (customer_id, id, email, name, roles, billing_profiles, disabled_at) ON members TO console_sessions;--> statement-breakpoint
GRANT SELECT (customer_id, digest, member_id, created_at, last_seen_at), UPDATE (last_seen_at) ON sessions TO console_sessions;--> statement-breakpoint

GRANT SELECT (customer_id, id, email, password_hash, disabled_at) ON members TO console_sign_in;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON sign_in_attempts TO console_sign_in;--> statement-breakpoint

-- The operator's commands look customers up, as the login of what is done over all of them.
GRANT SELECT (id, name, domain, contact_email, created_at) ON customers TO console_jobs;--> statement-breakpoint

ALTER POLICY look_up ON customers TO console_access, console_keys, console_sessions, console_jobs;--> statement-breakpoint
ALTER POLICY look_up ON billing_profiles TO console_access, console_keys, console_sessions;--> statement-breakpoint
ALTER POLICY look_up ON members TO console_access, console_keys, console_sessions, console_sign_in;--> statement-breakpoint
ALTER POLICY look_up ON sessions TO console_access, console_sessions;--> statement-breakpoint
ALTER POLICY look_up ON api_keys TO console_access, console_keys;--> statement-breakpoint
ALTER POLICY seen ON sessions TO console_access, console_sessions;--> statement-breakpoint
ALTER POLICY used ON api_keys TO console_access, console_keys;
