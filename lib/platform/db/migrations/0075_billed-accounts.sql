-- no-transaction
-- What bills a period of an account is looked for of all issuers, and not of one alone.
CREATE INDEX CONCURRENTLY "invoices_account" ON "invoices" USING btree ("customer_id","billing_account","period_start","issuer","is_numbered") WHERE "invoices"."billing_account" IS NOT NULL;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "invoices_period";
