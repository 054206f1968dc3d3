-- no-transaction
CREATE INDEX CONCURRENTLY "audit_events_at" ON "audit_events" USING btree ("customer_id","at","id");
