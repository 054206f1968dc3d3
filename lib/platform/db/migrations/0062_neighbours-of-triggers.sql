-- The triggers of invoices and their lines write to tables beside theirs. Where customers are spread over several machines,
-- a trigger runs at a part of its table, and writes to the part of the other one that has the same customers: which that
-- is says `beside`, a function that `database distribute` replaces there. Here it is the table itself.
CREATE FUNCTION beside(named text, place text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT named $$;--> statement-breakpoint

CREATE OR REPLACE FUNCTION keep_invoice_sums()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, came.* FROM came'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, went.* FROM went'
    ELSE 'SELECT 1 AS sign, came.* FROM came UNION ALL SELECT -1, went.* FROM went' END;
  sums text := beside('invoice_sums', TG_TABLE_NAME);
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
      INSERT INTO %I AS s (customer_id, billing_profile_id, issuer, platform, currency, month, due_date,
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
    FROM kept $sums$, sums, changes) INTO nothing, wrong;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'The sums of the customer % are not those of its invoices. Run: npm run -s admin -- sums rebuild --customer %', wrong, wrong;
  END IF;
  IF nothing IS NOT NULL THEN
    EXECUTE format('DELETE FROM %I WHERE ctid = ANY ($1)', sums) USING nothing;
  END IF;
  RETURN NULL;
END $function$;--> statement-breakpoint

CREATE OR REPLACE FUNCTION keep_invoice_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  tokens text := beside('invoice_tokens', TG_TABLE_NAME);
  named text := 'SELECT customer_id, date_trunc(''month'', invoice_date::timestamp)::date AS month, id, number, purchase_order, line_orders, buyer_reference, cost_center FROM ';
  own text := 'SELECT own.customer_id, own.month, cut.token COLLATE "C" AS token, own.id FROM (%s) AS own
    CROSS JOIN LATERAL tokens_of_invoice(own.number, own.id, own.purchase_order, own.line_orders, own.buyer_reference, own.cost_center) AS cut';
  before text := format(own, CASE TG_OP WHEN 'DELETE' THEN named || 'went' WHEN 'UPDATE' THEN named || 'went EXCEPT ' || named || 'came' END);
  after text := format(own, CASE TG_OP WHEN 'INSERT' THEN named || 'came' WHEN 'UPDATE' THEN named || 'came EXCEPT ' || named || 'went' END);
BEGIN
  -- One by one by the primary key, however many tokens the planner believes there are.
  IF TG_OP <> 'INSERT' THEN
    EXECUTE format($gone$
      DELETE FROM %1$I WHERE ctid = ANY (ARRAY(
        SELECT found.ctid FROM (%2$s) AS gone CROSS JOIN LATERAL (
          SELECT t.ctid FROM %1$I t WHERE t.customer_id = gone.customer_id AND t.month = gone.month
            AND t.token = gone.token AND t.invoice_id = gone.id LIMIT 1) AS found)) $gone$, tokens,
      CASE TG_OP WHEN 'UPDATE' THEN before || ' EXCEPT ' || after ELSE before END);
  END IF;
  -- In the order of the key: neighbours lie together.
  IF TG_OP <> 'DELETE' THEN
    EXECUTE format($added$
      INSERT INTO %I (customer_id, month, token, invoice_id)
      SELECT DISTINCT customer_id, month, token, id FROM (%s) AS added ORDER BY 1, 2, 3, 4
      ON CONFLICT DO NOTHING $added$, tokens,
      CASE TG_OP WHEN 'UPDATE' THEN after || ' EXCEPT ' || before ELSE after END);
  END IF;
  RETURN NULL;
END $function$;--> statement-breakpoint

CREATE OR REPLACE FUNCTION keep_line_orders()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  touched text := 'SELECT customer_id, invoice_id FROM %s WHERE purchase_order IS NOT NULL';
  -- As orders_of_lines has it, of the invoice i.
  orders text := format($own$SELECT array_agg(own) FROM (
    SELECT DISTINCT purchase_order COLLATE "C" AS own FROM %I AS l
    WHERE l.customer_id = i.customer_id AND l.invoice_id = i.id AND purchase_order IS NOT NULL ORDER BY 1 LIMIT 1000) AS orders$own$,
    TG_TABLE_NAME);
  is_touched boolean;
BEGIN
  touched := CASE TG_OP WHEN 'INSERT' THEN format(touched, 'came') WHEN 'DELETE' THEN format(touched, 'went')
    ELSE format(touched, 'came') || ' UNION ' || format(touched, 'went') END;
  EXECUTE 'SELECT EXISTS (' || touched || ')' INTO is_touched;
  IF NOT is_touched THEN
    RETURN NULL;
  END IF;
  EXECUTE format($orders$
    UPDATE %1$I AS i SET line_orders = (%3$s) WHERE ctid = ANY (ARRAY(
      SELECT found.ctid FROM (SELECT DISTINCT * FROM (%2$s) AS lines) AS touched CROSS JOIN LATERAL (
        SELECT i.ctid FROM %1$I i WHERE i.customer_id = touched.customer_id AND i.id = touched.invoice_id
          AND i.line_orders IS DISTINCT FROM (%3$s) LIMIT 1) AS found)) $orders$,
    beside('invoices', TG_TABLE_NAME), touched, orders);
  RETURN NULL;
END $function$;--> statement-breakpoint

-- Citus takes no policy with a subquery: a function asks.
CREATE FUNCTION closed_up_to(customer text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT max(seq) FROM audit_closings WHERE customer_id = customer $$;--> statement-breakpoint
ALTER POLICY expired ON audit_chain USING (seq <= closed_up_to(customer_id));
