-- no-transaction
CREATE INDEX CONCURRENTLY "invoices_billed_newest" ON "invoices" USING btree ("customer_id","billing_profile_id","currency","invoice_date","id");