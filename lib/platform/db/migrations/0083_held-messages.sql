-- no-transaction
-- Messages of a webhook that are held are found by their time.
CREATE INDEX CONCURRENTLY "outbox_held" ON "outbox" USING btree ("customer_id","recipient","not_before") WHERE state in ('WAITING', 'SENDING');
