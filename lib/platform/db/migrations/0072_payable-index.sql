-- no-transaction
-- Few balances can't be paid as they are: sums look for these alone.
CREATE INDEX CONCURRENTLY "invoices_payable" ON "invoices" USING btree ("customer_id","invoice_date","id") WHERE "invoices"."payable_amount" IS NOT NULL;
