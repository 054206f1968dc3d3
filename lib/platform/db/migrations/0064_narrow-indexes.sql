-- no-transaction
-- What is made or arrives in one moment has one entry for all of it in an index without the id. Keys of a day are removed by the
-- nightly job, which reads all of a customer's.
CREATE INDEX CONCURRENTLY "invoices_by_arrival" ON "invoices" USING btree ("customer_id","created_at");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "license_changes_by_time" ON "license_changes" USING btree ("customer_id","created_at");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "invoices_arrived";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "license_changes_all_newest";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "idempotency_keys_oldest";
