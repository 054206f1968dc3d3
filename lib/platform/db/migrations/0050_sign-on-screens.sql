-- Admins set single sign-on up by themselves, and issuers end sessions that they opened.
CREATE TABLE "spent_logout_tokens" (
	"digest" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sign_on_sessions" ADD COLUMN "issuer_session" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "spent_logout_tokens_oldest" ON "spent_logout_tokens" USING btree ("at");--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON spent_logout_tokens TO console_sign_in;--> statement-breakpoint
GRANT SELECT (issuer_session) ON sign_on_sessions TO console_app, console_reads, console_streams;--> statement-breakpoint
-- An Admin removes an identity provider with all that hangs on it.
GRANT DELETE ON identity_providers TO console_app;
