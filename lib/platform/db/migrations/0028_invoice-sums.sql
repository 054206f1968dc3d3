CREATE TABLE "invoice_sums" (
	"customer_id" text COLLATE "C" NOT NULL,
	"billing_profile_id" text COLLATE "C" NOT NULL,
	"issuer" text COLLATE "C" NOT NULL,
	"platform" text NOT NULL,
	"currency" text NOT NULL,
	"month" date NOT NULL,
	"due_date" date,
	"count" integer NOT NULL,
	"total" numeric NOT NULL,
	"balance" numeric NOT NULL,
	"credit_count" integer NOT NULL,
	CONSTRAINT "invoice_sums_place" UNIQUE NULLS NOT DISTINCT("customer_id","billing_profile_id","issuer","platform","currency","month","due_date"),
	CONSTRAINT "invoice_sums_month" CHECK (extract(day from "invoice_sums"."month") = 1)
);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON invoice_sums TO console_app;--> statement-breakpoint
-- Puts what a statement did to invoices into their sums: what came is added, what went is taken off, in one statement
-- for all of its rows, which never looks at other invoices. Issued invoices alone are in the sums.
CREATE FUNCTION keep_invoice_sums() RETURNS trigger LANGUAGE plpgsql AS $keep$
DECLARE
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, came.* FROM came'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, went.* FROM went'
    ELSE 'SELECT 1 AS sign, came.* FROM came UNION ALL SELECT -1, went.* FROM went' END;
  nothing tid[];
  wrong text;
BEGIN
  -- Of many statements on the same sums, each would find all that those before it left behind: the last one makes the
  -- sums anew (lib/invoices/sums/upkeep.ts).
  IF current_setting('console.sums', true) = 'left' THEN
    RETURN NULL;
  END IF;
  -- Planned each time: how many rows a statement changes differs from one to the next. In the order of the key, so that
  -- two transactions take its rows in one order.
  EXECUTE format($sums$
    WITH kept AS (
      INSERT INTO invoice_sums AS s (customer_id, billing_profile_id, issuer, platform, currency, month, due_date,
        count, total, balance, credit_count)
      SELECT customer_id, billing_profile_id, issuer, platform, currency,
        date_trunc('month', invoice_date::timestamp)::date, CASE WHEN balance_amount > 0 THEN due_date END,
        sum(sign), sum(sign * total_amount), sum(sign * balance_amount),
        sum(CASE WHEN balance_amount < 0 THEN sign ELSE 0 END)
      FROM (%s) AS changes WHERE document_state = 'issued'
      GROUP BY 1, 2, 3, 4, 5, 6, 7
      HAVING sum(sign) <> 0 OR sum(sign * total_amount) <> 0 OR sum(sign * balance_amount) <> 0
        OR sum(CASE WHEN balance_amount < 0 THEN sign ELSE 0 END) <> 0
      ORDER BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (customer_id, billing_profile_id, issuer, platform, currency, month, due_date) DO UPDATE SET
        count = s.count + excluded.count, total = s.total + excluded.total, balance = s.balance + excluded.balance,
        credit_count = s.credit_count + excluded.credit_count
      RETURNING ctid AS place, *)
    SELECT array_agg(place) FILTER (WHERE count = 0),
      min(customer_id) FILTER (WHERE count < 0 OR credit_count NOT BETWEEN 0 AND greatest(count, 0)
        OR count = 0 AND (total <> 0 OR balance <> 0))
    FROM kept $sums$, changes) INTO nothing, wrong;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'The sums of the customer % are not those of its invoices. Run: npm run -s admin -- sums rebuild --customer %', wrong, wrong;
  END IF;
  IF nothing IS NOT NULL THEN
    DELETE FROM invoice_sums WHERE ctid = ANY (nothing);
  END IF;
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER sums_of_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_sums();--> statement-breakpoint
CREATE TRIGGER sums_of_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS went NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_sums();--> statement-breakpoint
CREATE TRIGGER sums_of_dropped AFTER DELETE ON invoices REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_sums();--> statement-breakpoint
-- The sums of the invoices of today. The walls stop the owner too: to read them, it looks past their wall.
ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
-- However many invoices there are.
SET LOCAL statement_timeout = 0;--> statement-breakpoint
INSERT INTO invoice_sums (customer_id, billing_profile_id, issuer, platform, currency, month, due_date, count, total,
    balance, credit_count)
  SELECT customer_id, billing_profile_id, issuer, platform, currency,
    date_trunc('month', invoice_date::timestamp)::date, CASE WHEN balance_amount > 0 THEN due_date END,
    count(*), sum(total_amount), sum(balance_amount), count(*) FILTER (WHERE balance_amount < 0)
  FROM invoices WHERE document_state = 'issued'
  GROUP BY 1, 2, 3, 4, 5, 6, 7;--> statement-breakpoint
ALTER TABLE invoices FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE invoice_sums ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE invoice_sums FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON invoice_sums TO console_app USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- As of invoices: one customer is never one row to the planner.
ALTER TABLE invoice_sums ALTER COLUMN customer_id SET (n_distinct = 200);--> statement-breakpoint
ANALYZE invoice_sums;
