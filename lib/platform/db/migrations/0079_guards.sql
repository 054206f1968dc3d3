ALTER TABLE "account_mails" DROP CONSTRAINT "account_mails_event";--> statement-breakpoint
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_event" CHECK ("account_mails"."event" in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used', 'factor-refused', 'scim-token-leaked', 'domain-lost', 'domain-ended', 'renewal-near', 'renewal-not-done', 'renewal-unclear')) NOT VALID;--> statement-breakpoint
-- `admin status` lists the customers none of whose Admins sees all billing profiles.
GRANT SELECT (customer_id, roles, billing_profiles, disabled_at, invited_at, removed_at) ON members TO console_jobs;--> statement-breakpoint
CREATE POLICY admins ON members FOR SELECT TO console_jobs USING (roles @> '{admin}');--> statement-breakpoint
-- The function runs with the owner's rights, and a backfill alone calls it.
GRANT EXECUTE ON FUNCTION fill_look_ups() TO console_app;--> statement-breakpoint
-- contract: the last release calls the function as console_app, which keeps the privilege.
REVOKE EXECUTE ON FUNCTION fill_look_ups() FROM PUBLIC;
