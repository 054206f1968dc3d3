-- One permissive policy for each command, in the place of one for all commands with restrictive ones beside it. A database
-- that is spread over several machines (Citus) copies a restrictive policy to them as a permissive one: there it would
-- allow what it forbids here. Each table is locked until all of its new policies are there: nobody sees it without.

-- What waits for its vendor, or for a person, may move on, and a claim may be taken back. What is settled is history.
DROP POLICY own ON license_changes;--> statement-breakpoint
DROP POLICY unsettled_only ON license_changes;--> statement-breakpoint
DROP POLICY claimed_only ON license_changes;--> statement-breakpoint
CREATE POLICY own ON license_changes FOR SELECT TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY added ON license_changes FOR INSERT TO console_app
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY changed ON license_changes FOR UPDATE TO console_app
  USING (customer_id = current_setting('console.customer', true) AND state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR'))
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY removed ON license_changes FOR DELETE TO console_app
  USING (customer_id = current_setting('console.customer', true) AND state = 'CLAIMED');--> statement-breakpoint

-- A mail on its way may be settled or withdrawn. What was sent, refused or given up is history for two years.
DROP POLICY own ON notice_mails;--> statement-breakpoint
DROP POLICY sending_only ON notice_mails;--> statement-breakpoint
DROP POLICY withdrawn_only ON notice_mails;--> statement-breakpoint
CREATE POLICY own ON notice_mails FOR SELECT TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY added ON notice_mails FOR INSERT TO console_app
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY changed ON notice_mails FOR UPDATE TO console_app
  USING (customer_id = current_setting('console.customer', true) AND state = 'SENDING')
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY removed ON notice_mails FOR DELETE TO console_app
  USING (customer_id = current_setting('console.customer', true)
    AND (state = 'SENDING' OR told_on < now() - interval '2 years'));--> statement-breakpoint

-- A subscription that is held may be changed, and released. What is released is history.
DROP POLICY own ON vendor_subscriptions;--> statement-breakpoint
DROP POLICY held_only ON vendor_subscriptions;--> statement-breakpoint
CREATE POLICY own ON vendor_subscriptions FOR SELECT TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY added ON vendor_subscriptions FOR INSERT TO console_app
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY changed ON vendor_subscriptions FOR UPDATE TO console_app
  USING (customer_id = current_setting('console.customer', true) AND released_at IS NULL)
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint

-- Readings of seats are history for three years.
DROP POLICY own ON seat_readings;--> statement-breakpoint
DROP POLICY old_only ON seat_readings;--> statement-breakpoint
CREATE POLICY own ON seat_readings FOR SELECT TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY added ON seat_readings FOR INSERT TO console_app
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY removed ON seat_readings FOR DELETE TO console_app
  USING (customer_id = current_setting('console.customer', true) AND at < now() - interval '3 years');--> statement-breakpoint

-- Two policies for one login and one command, as one.
ALTER POLICY due ON notice_recipients USING (licenses_since IS NOT NULL OR needs_since IS NOT NULL);--> statement-breakpoint
DROP POLICY weekly ON notice_recipients;
