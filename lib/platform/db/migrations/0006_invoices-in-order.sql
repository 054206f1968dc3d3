ALTER TABLE "invoices" ADD COLUMN "total_sort" double precision GENERATED ALWAYS AS (total_amount::double precision) STORED;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "balance_sort" double precision GENERATED ALWAYS AS (balance_amount::double precision) STORED;--> statement-breakpoint
CREATE INDEX "invoices_due" ON "invoices" USING btree ("customer_id","due_date","id");--> statement-breakpoint
CREATE INDEX "invoices_total" ON "invoices" USING btree ("customer_id","total_sort","id");--> statement-breakpoint
CREATE INDEX "invoices_balance" ON "invoices" USING btree ("customer_id","balance_sort","id");--> statement-breakpoint
CREATE INDEX "invoices_unsettled" ON "invoices" USING btree ("customer_id","due_date","id") WHERE "invoices"."balance_amount" <> 0;