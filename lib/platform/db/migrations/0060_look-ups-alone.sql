-- no-transaction
-- That a digest is one customer's alone is kept by `look_ups` from now on: none of these was ever drawn twice. The release
-- before looks digests up in the tables themselves, so each keeps a plain index on them until no process is of it.
CREATE INDEX CONCURRENTLY "api_keys_by_digest" ON "api_keys" USING btree ("digest");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "sessions_by_digest" ON "sessions" USING btree ("digest");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "scim_tokens_by_digest" ON "scim_tokens" USING btree ("digest");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "calendar_feeds_by_digest" ON "calendar_feeds" USING btree ("digest");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "account_links_by_digest" ON "account_links" USING btree ("digest");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "api_keys_digest";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "sessions_digest";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "scim_tokens_digest";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "calendar_feeds_digest";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "account_links_digest";
