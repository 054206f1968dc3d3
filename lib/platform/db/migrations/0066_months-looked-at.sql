-- no-transaction
-- In months a key has the id of the event by which they are told apart.
CREATE UNIQUE INDEX CONCURRENTLY "audit_chain_place" ON "audit_chain" USING btree ("customer_id","seq","event_id");--> statement-breakpoint
ALTER TABLE audit_events VALIDATE CONSTRAINT before_months;--> statement-breakpoint
ALTER TABLE audit_chain VALIDATE CONSTRAINT before_months;
