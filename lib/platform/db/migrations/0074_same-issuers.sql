-- Names of issuers are compared by `folded`. It has no rule of uniqueness: a customer may have two spellings of one issuer
-- already, and both stay. The next import of a customer fills it in.
ALTER TABLE "issuers" ADD COLUMN "folded" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "same_as" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "other_than" text[];--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "grace_days" integer;--> statement-breakpoint
ALTER TABLE "issuers" ADD COLUMN "unbilled" text;--> statement-breakpoint
-- Of two invoices that were one, the charges move to the one that stays.
GRANT UPDATE (issuer, number) ON charge_sets TO console_app;
