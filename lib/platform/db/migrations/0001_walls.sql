-- The second tenant wall. `console_app` owns nothing and sees one customer's rows, the one that the
-- transaction names in `console.customer`. `console_access` looks a caller up before the customer is
-- known: it reads just the columns that decide who is calling. lib/db/roles.ts makes the two roles.

GRANT USAGE ON SCHEMA public TO console_app, console_access;--> statement-breakpoint

GRANT SELECT, INSERT ON customers TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON billing_profiles TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON members TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON sessions TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON api_keys TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON assets TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT ON license_changes TO console_app;--> statement-breakpoint
-- Append-only: no UPDATE, DELETE or TRUNCATE.
GRANT SELECT, INSERT ON audit_events TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON invoices, line_items TO console_app;--> statement-breakpoint

GRANT SELECT (id, name, domain, contact_email, created_at) ON customers TO console_access;--> statement-breakpoint
GRANT SELECT (customer_id, id) ON billing_profiles TO console_access;--> statement-breakpoint
GRANT SELECT (customer_id, id, email, name, password_hash, roles, billing_profiles, disabled_at) ON members TO console_access;--> statement-breakpoint
GRANT SELECT (customer_id, digest, member_id, created_at, last_seen_at), UPDATE (last_seen_at) ON sessions TO console_access;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, digest, roles, billing_profiles, issued_by, expires_at, revoked_at, last_used_at), UPDATE (last_used_at) ON api_keys TO console_access;--> statement-breakpoint

ALTER TABLE customers ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE customers FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON customers TO console_app USING (id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY look_up ON customers FOR SELECT TO console_access USING (true);--> statement-breakpoint
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['billing_profiles', 'members', 'sessions', 'api_keys', 'assets', 'license_changes', 'audit_events', 'invoices', 'line_items'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY own ON %I TO console_app USING (customer_id = current_setting(''console.customer'', true))', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['billing_profiles', 'members', 'sessions', 'api_keys'] LOOP
    EXECUTE format('CREATE POLICY look_up ON %I FOR SELECT TO console_access USING (true)', t);
  END LOOP;
END $$;--> statement-breakpoint
CREATE POLICY seen ON sessions FOR UPDATE TO console_access USING (true);--> statement-breakpoint
CREATE POLICY used ON api_keys FOR UPDATE TO console_access USING (true);
