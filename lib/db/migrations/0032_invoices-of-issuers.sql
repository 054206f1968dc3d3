-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "invoices_issuer_newest" ON "invoices" USING btree ("customer_id","issuer","invoice_date","id");
