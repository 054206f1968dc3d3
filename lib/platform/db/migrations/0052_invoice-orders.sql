-- A search finds purchase orders, those of single lines too, and the starts of buyer references and cost centers.
-- A column that may be null and has no default: no row is touched.
ALTER TABLE "invoices" ADD COLUMN "line_orders" text[];--> statement-breakpoint
-- The purchase orders that the lines of an invoice have: each once, in order, and 1,000 at most, so that an invoice of
-- an order for each of its lines is stored in time.
CREATE FUNCTION orders_of_lines(customer text, invoice text) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(own) FROM (
    SELECT DISTINCT purchase_order COLLATE "C" AS own FROM line_items
    WHERE customer_id = customer AND invoice_id = invoice AND purchase_order IS NOT NULL ORDER BY 1 LIMIT 1000) AS orders
$$;--> statement-breakpoint
-- Of lines without an order, which are nearly all, it looks at no invoice. One by one by the primary key, whatever the
-- planner knows of the customer; who writes lines has locked their invoices, or has just added them.
CREATE FUNCTION keep_line_orders() RETURNS trigger LANGUAGE plpgsql AS $keep$
DECLARE
  touched text := 'SELECT customer_id, invoice_id FROM %s WHERE purchase_order IS NOT NULL';
  is_touched boolean;
BEGIN
  touched := CASE TG_OP WHEN 'INSERT' THEN format(touched, 'came') WHEN 'DELETE' THEN format(touched, 'went')
    ELSE format(touched, 'came') || ' UNION ' || format(touched, 'went') END;
  EXECUTE 'SELECT EXISTS (' || touched || ')' INTO is_touched;
  IF NOT is_touched THEN
    RETURN NULL;
  END IF;
  EXECUTE format($orders$
    UPDATE invoices AS i SET line_orders = orders_of_lines(i.customer_id, i.id) WHERE ctid = ANY (ARRAY(
      SELECT found.ctid FROM (SELECT DISTINCT * FROM (%s) AS lines) AS touched CROSS JOIN LATERAL (
        SELECT o.ctid FROM invoices o WHERE o.customer_id = touched.customer_id AND o.id = touched.invoice_id
          AND o.line_orders IS DISTINCT FROM orders_of_lines(o.customer_id, o.id) LIMIT 1) AS found)) $orders$, touched);
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER orders_of_added AFTER INSERT ON line_items REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_line_orders();--> statement-breakpoint
CREATE TRIGGER orders_of_changed AFTER UPDATE ON line_items REFERENCING OLD TABLE AS went NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_line_orders();--> statement-breakpoint
CREATE TRIGGER orders_of_dropped AFTER DELETE ON line_items REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION keep_line_orders();--> statement-breakpoint
-- All tokens of one invoice: of each text of which a part is searched, the part from each letter on; and the start of
-- each text that is searched. `lib/invoices/search/text.ts` has the same fields.
CREATE FUNCTION tokens_of_invoice(number text, id text, purchase_order text, line_orders text[], buyer_reference text,
  cost_center text) RETURNS TABLE (token text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '^' || left(folded(start), 12)
  FROM unnest(ARRAY[number, id, purchase_order, buyer_reference, cost_center] || line_orders) AS start WHERE start IS NOT NULL
  UNION ALL
  SELECT substr(whole, at, 12)
  FROM (SELECT folded(part) AS whole FROM unnest(ARRAY[number, purchase_order] || line_orders) AS part OFFSET 0) AS text,
    generate_series(2, length(whole) - 2) AS at
$$;--> statement-breakpoint
-- As it was, but for the fields, and that of an invoice that is changed the tokens stay that it still has.
CREATE OR REPLACE FUNCTION keep_invoice_tokens() RETURNS trigger LANGUAGE plpgsql AS $keep$
DECLARE
  named text := 'SELECT customer_id, date_trunc(''month'', invoice_date::timestamp)::date AS month, id, number, purchase_order, line_orders, buyer_reference, cost_center FROM ';
  own text := 'SELECT own.customer_id, own.month, cut.token COLLATE "C" AS token, own.id FROM (%s) AS own
    CROSS JOIN LATERAL tokens_of_invoice(own.number, own.id, own.purchase_order, own.line_orders, own.buyer_reference, own.cost_center) AS cut';
  before text := format(own, CASE TG_OP WHEN 'DELETE' THEN named || 'went' WHEN 'UPDATE' THEN named || 'went EXCEPT ' || named || 'came' END);
  after text := format(own, CASE TG_OP WHEN 'INSERT' THEN named || 'came' WHEN 'UPDATE' THEN named || 'came EXCEPT ' || named || 'went' END);
BEGIN
  -- One by one by the primary key, however many tokens the planner believes there are.
  IF TG_OP <> 'INSERT' THEN
    EXECUTE format($gone$
      DELETE FROM invoice_tokens WHERE ctid = ANY (ARRAY(
        SELECT found.ctid FROM (%s) AS gone CROSS JOIN LATERAL (
          SELECT t.ctid FROM invoice_tokens t WHERE t.customer_id = gone.customer_id AND t.month = gone.month
            AND t.token = gone.token AND t.invoice_id = gone.id LIMIT 1) AS found)) $gone$,
      CASE TG_OP WHEN 'UPDATE' THEN before || ' EXCEPT ' || after ELSE before END);
  END IF;
  -- In the order of the key: neighbours lie together.
  IF TG_OP <> 'DELETE' THEN
    EXECUTE format($added$
      INSERT INTO invoice_tokens (customer_id, month, token, invoice_id)
      SELECT DISTINCT customer_id, month, token, id FROM (%s) AS added ORDER BY 1, 2, 3, 4
      ON CONFLICT DO NOTHING $added$,
      CASE TG_OP WHEN 'UPDATE' THEN after || ' EXCEPT ' || before ELSE after END);
  END IF;
  RETURN NULL;
END $keep$;--> statement-breakpoint
-- Of the invoices of today, instead of the one that knew the numbers alone.
DELETE FROM backfills WHERE name = 'invoice-tokens';--> statement-breakpoint
INSERT INTO backfills (name) VALUES ('invoice-order-tokens');
