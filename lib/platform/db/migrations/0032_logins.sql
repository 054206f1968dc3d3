-- Each pool logs in as a role of its own (lib/db/logins.ts). What reads a customer's rows has a login that can do nothing
-- but read, and who is calling is found by three that see what they need for it: a key, a session, a password.
-- `console_access`, as which the release before this one looks callers up, keeps its rights until all processes are of
-- this one; no login is a member of it.

GRANT USAGE ON SCHEMA public TO console_reads, console_streams, console_keys, console_sessions, console_sign_in;--> statement-breakpoint

-- The digests of passwords and keys are for who compares them, and not for whoever sees the customer's other rows.
-- contract: nothing was released; a process of the state before answers 500 to a change of password until it is replaced.
REVOKE SELECT ON members, api_keys FROM console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, email, name, roles, billing_profiles, disabled_at, last_seen_at, created_at) ON members TO console_app;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, prefix, last_four, roles, billing_profiles, issued_by, created_at, expires_at, revoked_at, last_used_at) ON api_keys TO console_app;--> statement-breakpoint

-- What `console_app` may read, `console_reads` and `console_streams` may read, behind the same wall.
GRANT SELECT ON assets, audit_events, backfills, billing_profiles, customers, idempotency_keys, import_changes, imports, invoice_files, invoice_sums, invoice_tokens, invoices, issuers, license_change_attempts, license_changes, line_items, notice_changes, notice_mails, notice_recipients, notice_subscriptions, notices, parties, seat_readings, sessions, vendor_subscriptions TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (customer_id, id, name, prefix, last_four, roles, billing_profiles, issued_by, created_at, expires_at, revoked_at, last_used_at) ON api_keys TO console_reads, console_streams;--> statement-breakpoint
GRANT SELECT (customer_id, id, email, name, roles, billing_profiles, disabled_at, created_at, last_seen_at) ON members TO console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON api_keys TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON assets TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON audit_events TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON billing_profiles TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON customers TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON idempotency_keys TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON import_changes TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON imports TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON invoice_files TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON invoice_sums TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON invoice_tokens TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON invoices TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON issuers TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON license_change_attempts TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON license_changes TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON line_items TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON line_prices TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON members TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON notice_changes TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON notice_mails TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON notice_recipients TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON notice_subscriptions TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON notices TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON parties TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON recent_writes TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON seat_readings TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON sessions TO console_app, console_reads, console_streams;--> statement-breakpoint
ALTER POLICY own ON vendor_subscriptions TO console_app, console_reads, console_streams;--> statement-breakpoint
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
