-- `admin status` lists the customers none of whose Admins sees all billing profiles.
GRANT SELECT (customer_id, roles, billing_profiles, disabled_at, invited_at, removed_at) ON members TO console_jobs;--> statement-breakpoint
CREATE POLICY admins ON members FOR SELECT TO console_jobs USING (roles @> '{admin}');--> statement-breakpoint
-- The function runs with the owner's rights, and a backfill alone calls it.
GRANT EXECUTE ON FUNCTION fill_look_ups() TO console_app;--> statement-breakpoint
-- contract: the last release calls the function as console_app, which keeps the privilege.
REVOKE EXECUTE ON FUNCTION fill_look_ups() FROM PUBLIC;
