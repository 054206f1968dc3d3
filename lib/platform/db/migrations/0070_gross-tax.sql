-- A document that we drew again has a kind of its own, for the first one stays. Every row that is there has one of the
-- kinds of before: NOT VALID reads none of them.
ALTER TABLE "invoice_files" DROP CONSTRAINT "invoice_files_kind";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "is_tax_calculated" boolean;--> statement-breakpoint
ALTER TABLE "invoice_files" ADD CONSTRAINT "invoice_files_kind" CHECK ("invoice_files"."kind" in ('drawn', 'redrawn', 'original-pdf', 'original-xml')) NOT VALID;--> statement-breakpoint
INSERT INTO backfills (name) VALUES ('tax-of-gross-lines');
