-- no-transaction
-- Reads the rows of before, under a lock that keeps nobody out.
ALTER TABLE "members" VALIDATE CONSTRAINT "members_removed";
