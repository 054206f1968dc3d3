CREATE TABLE "sign_in_attempts" (
	"attempt" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_in_attempts_attempt_subject_pk" PRIMARY KEY("attempt","subject")
);
--> statement-breakpoint
CREATE INDEX "sign_in_attempts_subject" ON "sign_in_attempts" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_oldest" ON "sign_in_attempts" USING btree ("at");--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON sign_in_attempts TO console_access;
