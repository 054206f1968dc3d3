ALTER TABLE "invoices" ADD COLUMN "payable_amount" numeric;--> statement-breakpoint
-- What of a balance can be paid: rounded to the minor unit of its currency, a half away from zero. lib/platform/values/money.ts has the
-- same units.
CREATE FUNCTION payable_of(balance numeric, currency text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT round(balance, CASE
    WHEN currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV',
      'XAF', 'XOF', 'XPF', 'ADP', 'BEC', 'BEF', 'BEL', 'BYB', 'BYR', 'ESA', 'ESB', 'ESP', 'GRD', 'ITL', 'LUC', 'LUF',
      'LUL', 'MGF', 'PTE', 'ROL', 'TPE', 'TRL') THEN 0
    WHEN currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3
    WHEN currency IN ('CLF', 'UYW') THEN 4
    ELSE 2 END)
$$;--> statement-breakpoint
-- The statement that writes what can be paid of invoices that changed, and of those that they correct or are corrected by. An issued
-- credit note is set off against the issued invoice that it corrects: of the same issuer, currency and billing profile, up
-- to what can be paid of it; of several, the oldest first. `own` is the table, `changes` selects what changed, `kept` the ids
-- of those of which another amount than the balance is written down.
CREATE FUNCTION payables_statement(own text, changes text, kept text) RETURNS text LANGUAGE sql IMMUTABLE AS $text$
  SELECT format($settle$
    WITH changed AS MATERIALIZED (%2$s),
    bills AS MATERIALIZED (
      SELECT customer_id, issuer, corrects AS number FROM changed WHERE corrects IS NOT NULL
      UNION SELECT c.customer_id, c.issuer, c.number FROM changed AS c CROSS JOIN LATERAL (
        SELECT FROM %1$I AS i WHERE i.customer_id = c.customer_id AND i.issuer = c.issuer AND i.corrects = c.number LIMIT 1) AS o),
    families AS MATERIALIZED (
      SELECT b.customer_id, b.issuer, b.number, o.id, o.currency, o.billing_profile_id, o.invoice_date, o.document_state,
        payable_of(o.balance_amount, o.currency) AS amount
      FROM bills AS b CROSS JOIN LATERAL (
        SELECT * FROM %1$I AS i WHERE i.customer_id = b.customer_id AND i.issuer = b.issuer AND i.corrects = b.number) AS o),
    corrected AS MATERIALIZED (
      SELECT b.customer_id, b.issuer, b.number, o.id, o.currency, o.billing_profile_id, o.document_state,
        payable_of(o.balance_amount, o.currency) AS amount
      FROM bills AS b CROSS JOIN LATERAL (
        SELECT * FROM %1$I AS i WHERE i.customer_id = b.customer_id AND i.issuer = b.issuer AND i.number = b.number) AS o),
    used AS (
      SELECT f.customer_id, f.id, t.id AS target,
        least(-f.amount, greatest(0, t.amount + coalesce(sum(f.amount) OVER (PARTITION BY t.customer_id, t.id
          ORDER BY f.invoice_date, f.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS used
      FROM families AS f JOIN corrected AS t ON t.customer_id = f.customer_id AND t.issuer = f.issuer AND t.number = f.number
        AND t.id <> f.id AND t.currency = f.currency AND t.billing_profile_id = f.billing_profile_id
      WHERE t.document_state = 'issued' AND f.document_state = 'issued' AND f.amount < 0),
    effects AS MATERIALIZED (
      SELECT customer_id, id, sum(effect) AS effect FROM (
        SELECT customer_id, id, used AS effect FROM used UNION ALL SELECT customer_id, target, -used FROM used) AS each
      GROUP BY 1, 2),
    affected AS (
      SELECT customer_id, id FROM changed WHERE balance_amount <> payable_of(balance_amount, currency)
      UNION SELECT customer_id, id FROM (%3$s) AS kept
      UNION SELECT customer_id, id FROM families WHERE amount < 0 UNION SELECT customer_id, id FROM corrected WHERE amount > 0),
    amounts AS MATERIALIZED (
      SELECT a.customer_id, a.id, i.payable_amount AS kept,
        nullif(payable_of(i.balance_amount, i.currency) + coalesce(e.effect, 0), i.balance_amount) AS amount
      FROM affected AS a CROSS JOIN LATERAL (
        SELECT * FROM %1$I AS i WHERE i.customer_id = a.customer_id AND i.id = a.id) AS i
      LEFT JOIN effects AS e ON e.customer_id = a.customer_id AND e.id = a.id)
    UPDATE %1$I AS i SET payable_amount = r.amount
    FROM amounts AS r
    WHERE i.customer_id = r.customer_id AND i.id = r.id AND r.kept IS DISTINCT FROM r.amount $settle$, own, changes, kept)
$text$;--> statement-breakpoint
-- Where nothing corrects anything and no balance is finer than its currency, nothing more is looked for.
CREATE FUNCTION keep_payable_amounts() RETURNS trigger LANGUAGE plpgsql AS $keep$
DECLARE
  named text := 'SELECT customer_id, id, issuer, number, corrects, currency, billing_profile_id, document_state, invoice_date, balance_amount FROM ';
  changes text := CASE TG_OP WHEN 'INSERT' THEN named || 'came' WHEN 'DELETE' THEN named || 'went'
    ELSE '(' || named || 'came EXCEPT ' || named || 'went) UNION ALL (' || named || 'went EXCEPT ' || named || 'came)' END;
  kept text := CASE TG_OP WHEN 'UPDATE' THEN 'SELECT customer_id, id FROM came WHERE payable_amount IS NOT NULL'
    ELSE 'SELECT customer_id, id FROM changed WHERE false' END;
  is_odd boolean;
  is_beside boolean;
BEGIN
  EXECUTE format($look$
    SELECT bool_or(c.corrects IS NOT NULL OR c.balance_amount <> payable_of(c.balance_amount, c.currency)),
      EXISTS (SELECT FROM %1$I AS o WHERE o.customer_id = min(c.customer_id) AND o.corrects IS NOT NULL)
        OR EXISTS (SELECT FROM %1$I AS o WHERE o.customer_id = min(c.customer_id) AND o.payable_amount IS NOT NULL)
        OR min(c.customer_id) <> max(c.customer_id)
    FROM (%2$s) AS c $look$, TG_TABLE_NAME, changes) INTO is_odd, is_beside;
  IF is_odd OR (is_odd IS NOT NULL AND is_beside) THEN
    EXECUTE payables_statement(TG_TABLE_NAME, changes, kept);
  END IF;
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER payable_of_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_payable_amounts();--> statement-breakpoint
CREATE TRIGGER payable_of_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS went NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_payable_amounts();--> statement-breakpoint
CREATE TRIGGER payable_of_dropped AFTER DELETE ON invoices REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION keep_payable_amounts();--> statement-breakpoint
-- Of a customer's next invoices, for the backfill: how many these are, and the last of them.
CREATE FUNCTION fill_payables(customer text, after text, most int, OUT count int, OUT last text) LANGUAGE plpgsql AS $fill$
DECLARE
  next text := format('SELECT * FROM invoices WHERE customer_id = %L AND id > %L ORDER BY id LIMIT %s', customer, after, most);
BEGIN
  EXECUTE format('SELECT count(*)::int, max(id) FROM (%s) AS next', next) INTO count, last;
  EXECUTE payables_statement('invoices', next, 'SELECT customer_id, id FROM changed WHERE payable_amount IS NOT NULL');
END $fill$;--> statement-breakpoint
INSERT INTO backfills (name) VALUES ('payable-amounts');
