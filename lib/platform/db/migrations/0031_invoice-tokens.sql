CREATE TABLE "invoice_tokens" (
	"customer_id" text COLLATE "C" NOT NULL,
	"month" date NOT NULL,
	"token" text COLLATE "C" NOT NULL,
	"invoice_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "invoice_tokens_customer_id_month_token_invoice_id_pk" PRIMARY KEY("customer_id","month","token","invoice_id")
);
--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON invoice_tokens TO console_app;--> statement-breakpoint
-- Text as searches compare it: in small letters, the same on each server. The short way is of plain Latin letters, as
-- nearly all text here is.
CREATE FUNCTION folded(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (CASE WHEN octet_length(given) = length(given) THEN lower(given COLLATE "C") COLLATE "C"
    ELSE lower(given COLLATE "und-x-icu") COLLATE "C" END);--> statement-breakpoint
-- All tokens of one invoice. What is searched as the number is has a line more that is unnested or cut like it.
CREATE FUNCTION tokens_of_invoice(number text, id text) RETURNS TABLE (token text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '^' || left(folded(start), 12) FROM unnest(ARRAY[number, id]) AS start
  UNION ALL
  SELECT substr(whole, at, 12) FROM (SELECT folded(number) AS whole OFFSET 0) AS text, generate_series(2, length(whole) - 2) AS at
$$;--> statement-breakpoint
-- Takes away the tokens of what a statement took away or called otherwise, and adds those of what it brought.
CREATE FUNCTION keep_invoice_tokens() RETURNS trigger LANGUAGE plpgsql AS $keep$
DECLARE
  named text := 'SELECT customer_id, date_trunc(''month'', invoice_date::timestamp)::date AS month, id, number FROM ';
  gone text := CASE TG_OP WHEN 'DELETE' THEN named || 'went' WHEN 'UPDATE' THEN named || 'went EXCEPT ' || named || 'came' END;
  added text := CASE TG_OP WHEN 'INSERT' THEN named || 'came' WHEN 'UPDATE' THEN named || 'came EXCEPT ' || named || 'went' END;
BEGIN
  -- One by one by the primary key, however many tokens the planner believes there are.
  IF gone IS NOT NULL THEN
    EXECUTE format($gone$
      DELETE FROM invoice_tokens WHERE ctid = ANY (ARRAY(
        SELECT found.ctid FROM (%s) AS gone CROSS JOIN LATERAL tokens_of_invoice(gone.number, gone.id) AS own
        CROSS JOIN LATERAL (
          SELECT t.ctid FROM invoice_tokens t WHERE t.customer_id = gone.customer_id AND t.month = gone.month
            AND t.token = own.token AND t.invoice_id = gone.id LIMIT 1) AS found)) $gone$, gone);
  END IF;
  -- In the order of the key: neighbours lie together.
  IF added IS NOT NULL THEN
    EXECUTE format($added$
      INSERT INTO invoice_tokens (customer_id, month, token, invoice_id)
      SELECT DISTINCT added.customer_id, added.month, own.token COLLATE "C", added.id
      FROM (%s) AS added CROSS JOIN LATERAL tokens_of_invoice(added.number, added.id) AS own
      ORDER BY 1, 2, 3, 4
      ON CONFLICT DO NOTHING $added$, added);
  END IF;
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER tokens_of_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_tokens();--> statement-breakpoint
CREATE TRIGGER tokens_of_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS went NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_tokens();--> statement-breakpoint
CREATE TRIGGER tokens_of_dropped AFTER DELETE ON invoices REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_tokens();--> statement-breakpoint
ALTER TABLE invoice_tokens ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE invoice_tokens FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON invoice_tokens TO console_app USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- As of invoices: one customer is never one row to the planner.
ALTER TABLE invoice_tokens ALTER COLUMN customer_id SET (n_distinct = 200);--> statement-breakpoint
-- Of the invoices of today.
INSERT INTO backfills (name) VALUES ('invoice-tokens');
