-- no-transaction
-- One address is one member of a customer, and may be a member of several.
CREATE UNIQUE INDEX CONCURRENTLY "members_own_email" ON "members" USING btree ("customer_id",lower("email"));--> statement-breakpoint
CREATE INDEX CONCURRENTLY "members_address" ON "members" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX CONCURRENTLY "members_person" ON "members" USING btree ("customer_id","person_id");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "members_email";
