CREATE TABLE "payment_entries" (
	"customer_id" text COLLATE "C" NOT NULL,
	"payment_id" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"invoice_id" text COLLATE "C",
	"amount" numeric NOT NULL,
	"booked_on" date NOT NULL,
	"cause" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_entries_customer_id_payment_id_position_pk" PRIMARY KEY("customer_id","payment_id","position"),
	CONSTRAINT "payment_entries_amount" CHECK ("payment_entries"."amount" <> 0),
	CONSTRAINT "payment_entries_cause" CHECK ("payment_entries"."cause" in ('applied', 'assigned', 'released', 'reversed'))
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"customer_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"paid_on" date NOT NULL,
	"amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"reference" text COLLATE "C",
	"method" text,
	"payer" text,
	"end_to_end_id" text,
	"remittance" text,
	"refund_of" text COLLATE "C",
	"invoice_id" text COLLATE "C",
	"entered_by" text NOT NULL,
	"reversed_on" date,
	"reversal_reason" text,
	"reversed_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payments_customer_id_id_pk" PRIMARY KEY("customer_id","id"),
	CONSTRAINT "payments_kind" CHECK ("payments"."kind" in ('payment', 'refund', 'write-off', 'reported', 'opening')),
	CONSTRAINT "payments_amount" CHECK (case "payments"."kind" when 'payment' then "payments"."amount" > 0 when 'refund' then "payments"."amount" < 0 else "payments"."amount" <> 0 end),
	CONSTRAINT "payments_currency" CHECK ("payments"."currency" ~ '^[A-Z]{3}$'),
	CONSTRAINT "payments_reference_given" CHECK (("payments"."kind" in ('reported', 'opening')) = ("payments"."reference" is null) and ("payments"."kind" in ('reported', 'opening')) = ("payments"."invoice_id" is not null)),
	CONSTRAINT "payments_refund_of" CHECK ("payments"."refund_of" is null or "payments"."kind" = 'refund'),
	CONSTRAINT "payments_reversed" CHECK ("payments"."reversed_on" >= "payments"."paid_on")
);
--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "voided_on" date;--> statement-breakpoint
ALTER TABLE "payment_entries" ADD CONSTRAINT "payment_entries_customer_id_payment_id_payments_customer_id_id_fk" FOREIGN KEY ("customer_id","payment_id") REFERENCES "public"."payments"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_entries" ADD CONSTRAINT "payment_entries_customer_id_invoice_id_invoices_customer_id_id_fk" FOREIGN KEY ("customer_id","invoice_id") REFERENCES "public"."invoices"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_customer_id_refund_of_payments_customer_id_id_fk" FOREIGN KEY ("customer_id","refund_of") REFERENCES "public"."payments"("customer_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_customer_id_invoice_id_invoices_customer_id_id_fk" FOREIGN KEY ("customer_id","invoice_id") REFERENCES "public"."invoices"("customer_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_entries_credit" ON "payment_entries" USING btree ("customer_id","payment_id") WHERE "payment_entries"."invoice_id" IS NULL;--> statement-breakpoint
CREATE INDEX "payment_entries_day" ON "payment_entries" USING btree ("customer_id","booked_on","payment_id","position");--> statement-breakpoint
-- After the others: of indexes that cost the same, as all do in a small table, the planner takes the newest.
CREATE INDEX "payment_entries_invoice" ON "payment_entries" USING btree ("customer_id","invoice_id") WHERE "payment_entries"."invoice_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "payments_newest" ON "payments" USING btree ("customer_id","paid_on","id");--> statement-breakpoint
CREATE INDEX "payments_kind_newest" ON "payments" USING btree ("customer_id","kind","paid_on","id") WHERE "payments"."kind" <> 'reported';--> statement-breakpoint
CREATE UNIQUE INDEX "payments_reference" ON "payments" USING btree ("customer_id","reference") WHERE "payments"."reference" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "payments_invoice" ON "payments" USING btree ("customer_id","invoice_id") WHERE "payments"."invoice_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "payments_refunds" ON "payments" USING btree ("customer_id","refund_of") WHERE "payments"."refund_of" IS NOT NULL;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (reversed_on, reversal_reason, reversed_by) ON payments TO console_app;--> statement-breakpoint
GRANT SELECT, INSERT ON payment_entries TO console_app;--> statement-breakpoint
GRANT SELECT ON payments, payment_entries TO console_reads, console_streams;--> statement-breakpoint
ALTER TABLE payments ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE payments FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON payments FOR SELECT TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY added ON payments FOR INSERT TO console_app
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
-- A payment may be reversed, and its reversal is final.
CREATE POLICY reversed ON payments FOR UPDATE TO console_app
  USING (customer_id = current_setting('console.customer', true))
  WITH CHECK (customer_id = current_setting('console.customer', true) AND reversed_on IS NOT NULL);--> statement-breakpoint
SELECT wall_of_owner('payments');--> statement-breakpoint
ALTER TABLE payment_entries ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE payment_entries FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own ON payment_entries FOR SELECT TO console_app, console_reads, console_streams
  USING (customer_id = current_setting('console.customer', true));--> statement-breakpoint
CREATE POLICY added ON payment_entries FOR INSERT TO console_app
  WITH CHECK (customer_id = current_setting('console.customer', true));--> statement-breakpoint
SELECT wall_of_owner('payment_entries');--> statement-breakpoint
-- The balance of an issued invoice is its total less its entries in the ledger. Whichever of the two is written, triggers
-- write the other: a balance that an import writes becomes a row as reported by the issuer, and an entry moves the balance.
-- The functions below look rows up one by one, by index alone, because nothing is known of tables that one import fills.
-- They read the customer from a row: of a constant that is no common value the planner expects a single row, whichever
-- index it reads, and takes one that has all rows of the customer.
ALTER TABLE payments ALTER COLUMN customer_id SET (n_distinct = 200);--> statement-breakpoint
ALTER TABLE payment_entries ALTER COLUMN customer_id SET (n_distinct = 200);--> statement-breakpoint

-- Records the difference between the settled amounts of these issued invoices and their entries as reported by the issuer.
-- Rows of the other sign are reversed first, the newest first; what is reversed too much is reported again.
CREATE FUNCTION report_balances(place text, customer text, ids text[], amounts numeric[], currencies text[], days date[])
  RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $report$
BEGIN
  EXECUTE format($sql$
    WITH due AS MATERIALIZED (
      SELECT $1::text AS customer_id, i.id, i.currency, greatest((now() AT TIME ZONE 'UTC')::date, i.day) AS day,
        i.amount - coalesce((
          SELECT sum(e.amount) FROM %2$I e WHERE e.customer_id = i.customer_id AND e.invoice_id = i.id), 0) AS difference
      FROM (SELECT $1::text AS customer_id, i.* FROM unnest($2, $3, $4, $5) AS i (id, amount, currency, day) OFFSET 0) AS i),
    live AS (
      SELECT d.customer_id, d.id, d.currency, d.day AS due_day, d.difference, p.place, p.id AS payment_id, p.amount,
        greatest(d.day, p.paid_on) AS day,
        sum(p.amount) OVER (PARTITION BY d.id ORDER BY p.created_at DESC, p.id DESC) AS sum_to_here
      FROM due d CROSS JOIN LATERAL (
        SELECT p.ctid AS place, p.* FROM %1$I p WHERE p.customer_id = d.customer_id AND p.invoice_id = d.id OFFSET 0) AS p
      WHERE d.difference <> 0 AND p.reversed_on IS NULL AND sign(p.amount) = -sign(d.difference)),
    counter AS MATERIALIZED (SELECT * FROM live WHERE abs(sum_to_here - amount) < abs(difference)),
    reversed AS (
      UPDATE %1$I p SET reversed_on = c.day, reversed_by = 'issuer'
      FROM counter c WHERE p.customer_id = c.customer_id AND p.ctid = c.place),
    reported AS MATERIALIZED (
      SELECT d.*,
        d.id || '#' || (SELECT count(*) + 1 FROM %1$I p WHERE p.customer_id = d.customer_id AND p.invoice_id = d.id) AS payment_id
      FROM (
        SELECT customer_id, id, currency, day, sum(amount) AS amount FROM (
          SELECT customer_id, id, currency, day, difference AS amount FROM due WHERE difference <> 0
          UNION ALL SELECT customer_id, id, currency, due_day, amount FROM counter) AS amounts
        GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0) AS d),
    recorded AS (
      INSERT INTO %1$I (customer_id, id, kind, paid_on, amount, currency, invoice_id, entered_by)
      SELECT customer_id, payment_id, 'reported', day, amount, currency, id, 'issuer' FROM reported)
    INSERT INTO %2$I (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
    SELECT customer_id, payment_id, 2, id, -amount, day, 'reversed' FROM counter
    UNION ALL SELECT customer_id, payment_id, 1, id, amount, day, 'applied' FROM reported $sql$,
    beside('payments', place), beside('payment_entries', place)) USING customer, ids, amounts, currencies, days;
END $report$;--> statement-breakpoint
-- Takes the payments off invoices that are no longer owed. What the issuer reported and what was written off is reversed;
-- payments and refunds become the customer's credit.
CREATE FUNCTION release_payments(place text, customer text, ids text[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $release$
BEGIN
  EXECUTE format($sql$
    WITH settled AS MATERIALIZED (
      SELECT changed.customer_id, part.payment_id, changed.id AS invoice_id, part.amount, part.day, own.place, own.is_released
      FROM (SELECT $1::text AS customer_id, id FROM unnest($2) AS id OFFSET 0) AS changed
      CROSS JOIN LATERAL (
        SELECT e.payment_id, sum(e.amount) AS amount, greatest((now() AT TIME ZONE 'UTC')::date, max(e.booked_on)) AS day
        FROM (SELECT * FROM %3$I e WHERE e.customer_id = changed.customer_id AND e.invoice_id = changed.id OFFSET 0) AS e
        GROUP BY e.payment_id HAVING sum(e.amount) <> 0) AS part
      CROSS JOIN LATERAL (
        SELECT p.ctid AS place, p.kind IN ('payment', 'refund') AS is_released FROM %2$I p
        WHERE p.customer_id = changed.customer_id AND p.id = part.payment_id OFFSET 0) AS own),
    reversed AS (
      UPDATE %2$I p SET reversed_on = s.day, reversed_by = 'issuer'
      FROM settled s WHERE p.customer_id = s.customer_id AND p.ctid = s.place AND NOT s.is_released),
    moves AS (
      SELECT customer_id, payment_id, invoice_id, -amount AS amount, day, is_released FROM settled
      UNION ALL SELECT customer_id, payment_id, NULL, amount, day, true FROM settled WHERE is_released)
    INSERT INTO %3$I (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
    SELECT customer_id, payment_id,
      (SELECT max(e.position) FROM %3$I e WHERE e.customer_id = m.customer_id AND e.payment_id = m.payment_id)
        + row_number() OVER (PARTITION BY payment_id ORDER BY invoice_id, day),
      invoice_id, amount, day, CASE WHEN is_released THEN 'released' ELSE 'reversed' END
    FROM moves m $sql$,
    beside('invoices', place), beside('payments', place), beside('payment_entries', place)) USING customer, ids;
END $release$;--> statement-breakpoint
-- Applies payments that were released from an invoice to the one that replaces it, or to itself where it is valid again:
-- at most as much as its balance says is settled, in place of what the issuer reported.
CREATE FUNCTION carry_payments(place text, customer text, source text, target text) RETURNS boolean LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $carry$
DECLARE
  paid record;
  part numeric;
  is_moved boolean := false;
BEGIN
  FOR paid IN EXECUTE format($sql$
    SELECT p.id, p.currency, released.amount,
      (SELECT coalesce(sum(e.amount), 0) FROM %1$I e
        WHERE e.customer_id = p.customer_id AND e.payment_id = p.id AND e.invoice_id IS NULL)
        + (SELECT coalesce(sum(e.amount), 0) FROM %2$I r JOIN %1$I e ON e.customer_id = r.customer_id AND e.payment_id = r.id
            AND e.invoice_id IS NULL WHERE r.customer_id = p.customer_id AND r.refund_of = p.id) AS credit
    FROM (SELECT $1::text AS customer_id, $2::text AS invoice_id OFFSET 0) AS given
    CROSS JOIN LATERAL (
      SELECT e.payment_id, -sum(e.amount) AS amount FROM (
        SELECT * FROM %1$I e WHERE e.customer_id = given.customer_id AND e.invoice_id = given.invoice_id OFFSET 0) AS e
      WHERE e.cause = 'released' GROUP BY 1) AS released
    JOIN %2$I p ON p.customer_id = given.customer_id AND p.id = released.payment_id AND p.reversed_on IS NULL
    ORDER BY p.paid_on, p.id $sql$, beside('payment_entries', place), beside('payments', place)) USING customer, source
  LOOP
    EXECUTE format($sql$
      SELECT i.total_amount - i.balance_amount - coalesce((
        SELECT sum(e.amount) FROM %2$I e JOIN %3$I p ON p.customer_id = e.customer_id AND p.id = e.payment_id
        WHERE e.customer_id = i.customer_id AND e.invoice_id = i.id AND p.kind NOT IN ('reported', 'opening')), 0)
      FROM %1$I i WHERE i.customer_id = $1 AND i.id = $2 AND i.currency = $3 AND i.document_state = 'issued' $sql$,
      beside('invoices', place), beside('payment_entries', place), beside('payments', place))
      INTO part USING customer, target, paid.currency;
    CONTINUE WHEN part IS NULL OR sign(part) <> sign(paid.credit) OR sign(part) <> sign(paid.amount);
    part := sign(part) * least(abs(part), abs(paid.credit), abs(paid.amount));
    CONTINUE WHEN part = 0;
    EXECUTE format($sql$
      WITH latest AS (SELECT max(position) AS position, max(booked_on) AS day FROM %2$I
        WHERE customer_id = $1 AND payment_id = $2)
      INSERT INTO %2$I (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
      SELECT $1, $2, l.position + m.place, m.invoice_id, m.amount,
        greatest((now() AT TIME ZONE 'UTC')::date, i.invoice_date, l.day), 'assigned'
      FROM latest l CROSS JOIN (VALUES (1, NULL, -$4), (2, $3, $4)) AS m (place, invoice_id, amount)
      JOIN %1$I i ON i.customer_id = $1 AND i.id = $3 $sql$,
      beside('invoices', place), beside('payment_entries', place)) USING customer, paid.id, target, part;
    is_moved := true;
  END LOOP;
  RETURN is_moved;
END $carry$;--> statement-breakpoint
-- Returns the pairs of invoices of which the first one has payments that were released from it.
CREATE FUNCTION released_pairs(place text, customer text, sources text[], targets text[])
  RETURNS TABLE (source text, target text) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $pairs$
BEGIN
  RETURN QUERY EXECUTE format($sql$
    SELECT pair.source, pair.target
    FROM (SELECT $1::text AS customer_id, p.* FROM unnest($2, $3) AS p (source, target) OFFSET 0) AS pair
    CROSS JOIN LATERAL (
      SELECT FROM %I e WHERE e.customer_id = pair.customer_id AND e.invoice_id = pair.source AND e.cause = 'released' LIMIT 1) AS e
    $sql$, beside('payment_entries', place)) USING customer, sources, targets;
END $pairs$;--> statement-breakpoint
-- Records what these invoices had settled before payments were recorded, where no backfill has recorded it yet.
CREATE FUNCTION open_payments(place text, customer text, ids text[], amounts numeric[], currencies text[], days date[])
  RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $open$
BEGIN
  EXECUTE format($sql$
    WITH settled AS MATERIALIZED (
      SELECT i.id, i.currency, i.day,
        i.id || '#' || (SELECT count(*) + 1 FROM %1$I p WHERE p.customer_id = i.customer_id AND p.invoice_id = i.id) AS payment_id,
        i.amount
      FROM (
        SELECT i.customer_id, i.id, i.currency, i.day, i.amount - coalesce((
          SELECT sum(e.amount) FROM %2$I e WHERE e.customer_id = i.customer_id AND e.invoice_id = i.id), 0) AS amount
        FROM (SELECT $1::text AS customer_id, i.* FROM unnest($2, $3, $4, $5) AS i (id, amount, currency, day) OFFSET 0) AS i
        OFFSET 0) AS i
      WHERE i.amount <> 0),
    recorded AS (
      INSERT INTO %1$I (customer_id, id, kind, paid_on, amount, currency, invoice_id, entered_by)
      SELECT $1, payment_id, 'opening', day, amount, currency, id, 'issuer' FROM settled)
    INSERT INTO %2$I (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
    SELECT $1, payment_id, 1, id, amount, day, 'applied' FROM settled $sql$,
    beside('payments', place), beside('payment_entries', place)) USING customer, ids, amounts, currencies, days;
END $open$;--> statement-breakpoint
CREATE FUNCTION keep_invoice_payments() RETURNS trigger LANGUAGE plpgsql AS $keep$
DECLARE
  own record;
  pair record;
  due record;
  moved text[] := '{}';
BEGIN
  -- Only an owner copies whole customers, with their payments.
  IF current_setting('console.payments', true) = 'copied' AND current_user <> 'console_app' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    -- An invoice that arrives settled, for the record, was settled before.
    EXECUTE format($sql$
      WITH reported AS MATERIALIZED (
        SELECT customer_id, id, currency, total_amount - balance_amount AS amount, id || '#1' AS payment_id,
          CASE WHEN is_history THEN invoice_date ELSE greatest((now() AT TIME ZONE 'UTC')::date, invoice_date) END AS day
        FROM came WHERE document_state = 'issued' AND balance_amount <> total_amount),
      recorded AS (
        INSERT INTO %1$I (customer_id, id, kind, paid_on, amount, currency, invoice_id, entered_by)
        SELECT customer_id, payment_id, 'reported', day, amount, currency, id, 'issuer' FROM reported)
      INSERT INTO %2$I (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
      SELECT customer_id, payment_id, 1, id, amount, day, 'applied' FROM reported $sql$,
      beside('payments', TG_TABLE_NAME), beside('payment_entries', TG_TABLE_NAME));
    RETURN NULL;
  END IF;
  FOR own IN EXECUTE $sql$
    SELECT customer_id,
      array_agg(id ORDER BY id) FILTER (WHERE document_state = 'issued') AS owed,
      array_agg(settled ORDER BY id) FILTER (WHERE document_state = 'issued') AS settled,
      array_agg(currency ORDER BY id) FILTER (WHERE document_state = 'issued') AS currencies,
      array_agg(invoice_date ORDER BY id) FILTER (WHERE document_state = 'issued') AS days,
      array_agg(id ORDER BY id) FILTER (WHERE former_state = 'issued') AS former,
      array_agg(former_settled ORDER BY id) FILTER (WHERE former_state = 'issued') AS former_settled,
      array_agg(former_currency ORDER BY id) FILTER (WHERE former_state = 'issued') AS former_currencies,
      array_agg(former_date ORDER BY id) FILTER (WHERE former_state = 'issued') AS former_days,
      array_agg(id ORDER BY id) FILTER (WHERE document_state = 'issued' AND former_state = 'voided') AS restored,
      array_agg(id ORDER BY id) FILTER (WHERE document_state <> 'issued' AND former_state = 'issued') AS withdrawn,
      array_agg(id ORDER BY id) FILTER (WHERE document_state = 'voided' AND former_state = 'issued' AND voided_on IS NULL)
        AS undated,
      array_agg(id ORDER BY id) FILTER (WHERE document_state = 'issued' AND voided_on IS NOT NULL) AS dated,
      array_agg(id ORDER BY id) FILTER (WHERE is_replaced) AS replaced,
      array_agg(replaced_by ORDER BY id) FILTER (WHERE is_replaced) AS successors
    FROM (
      SELECT n.customer_id, n.id, n.document_state, n.replaced_by, n.voided_on, n.currency, n.invoice_date,
        n.total_amount - n.balance_amount AS settled, o.document_state AS former_state,
        o.total_amount - o.balance_amount AS former_settled, o.currency AS former_currency, o.invoice_date AS former_date,
        n.replaced_by IS NOT NULL AND n.replaced_by IS DISTINCT FROM o.replaced_by AS is_replaced
      FROM came n JOIN went o ON o.customer_id = n.customer_id AND o.id = n.id
      WHERE (n.total_amount, n.balance_amount, n.currency, n.document_state, n.replaced_by)
        IS DISTINCT FROM (o.total_amount, o.balance_amount, o.currency, o.document_state, o.replaced_by)) AS changed
    GROUP BY customer_id $sql$
  LOOP
    -- An entry that moves a balance is in the ledger before the balance is moved.
    IF own.former IS NOT NULL AND pg_trigger_depth() = 1 THEN
      PERFORM open_payments(TG_TABLE_NAME, own.customer_id, own.former, own.former_settled, own.former_currencies,
        own.former_days);
    END IF;
    IF own.withdrawn IS NOT NULL THEN
      PERFORM release_payments(TG_TABLE_NAME, own.customer_id, own.withdrawn);
    END IF;
    FOR pair IN SELECT * FROM released_pairs(TG_TABLE_NAME, own.customer_id, own.restored || own.replaced,
      own.restored || own.successors)
    LOOP
      IF carry_payments(TG_TABLE_NAME, own.customer_id, pair.source, pair.target) AND pair.target <> pair.source THEN
        moved := moved || pair.target;
      END IF;
    END LOOP;
    IF own.owed IS NOT NULL THEN
      PERFORM report_balances(TG_TABLE_NAME, own.customer_id, own.owed, own.settled, own.currencies, own.days);
    END IF;
    IF cardinality(moved) > 0 THEN
      EXECUTE format($sql$
        SELECT array_agg(id ORDER BY id) AS ids, array_agg(total_amount - balance_amount ORDER BY id) AS settled,
          array_agg(currency ORDER BY id) AS currencies, array_agg(invoice_date ORDER BY id) AS days
        FROM %I WHERE customer_id = $1 AND id = ANY ($2) AND document_state = 'issued' $sql$, TG_TABLE_NAME)
        INTO due USING own.customer_id, moved;
      PERFORM report_balances(TG_TABLE_NAME, own.customer_id, due.ids, due.settled, due.currencies, due.days);
      moved := '{}';
    END IF;
    -- The last release writes no such day.
    IF own.undated IS NOT NULL OR own.dated IS NOT NULL THEN
      EXECUTE format($sql$
        UPDATE %I SET voided_on = CASE WHEN id = ANY ($2) THEN (now() AT TIME ZONE 'UTC')::date END
        WHERE customer_id = $1 AND id = ANY ($2 || $3) $sql$, TG_TABLE_NAME)
        USING own.customer_id, coalesce(own.undated, '{}'), coalesce(own.dated, '{}');
    END IF;
  END LOOP;
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER payments_of_added AFTER INSERT ON invoices REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_payments();--> statement-breakpoint
CREATE TRIGGER payments_of_changed AFTER UPDATE ON invoices REFERENCING OLD TABLE AS went NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_payments();--> statement-breakpoint
-- Moves the balances of invoices by the entries that are added, and refuses entries that can't be right. Entries that the
-- triggers of invoices add follow a balance, and move none. Payments are locked before invoices, each in the order of ids.
CREATE FUNCTION keep_settled_balances() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $keep$
DECLARE
  invoices text := beside('invoices', TG_TABLE_NAME);
  payments text := beside('payments', TG_TABLE_NAME);
  wrong text;
BEGIN
  IF pg_trigger_depth() > 1 OR current_setting('console.payments', true) = 'copied' AND current_user <> 'console_app' THEN
    RETURN NULL;
  END IF;
  EXECUTE format($sql$
    SELECT FROM %1$I p WHERE (p.customer_id, p.id) IN (
      SELECT a.customer_id, coalesce(r.refund_of, r.id) FROM came a
      JOIN %1$I r ON r.customer_id = a.customer_id AND r.id = a.payment_id)
    ORDER BY p.customer_id, p.id FOR NO KEY UPDATE $sql$, payments);
  EXECUTE format($sql$
    SELECT FROM %1$I i WHERE (i.customer_id, i.id) IN (SELECT customer_id, invoice_id FROM came WHERE invoice_id IS NOT NULL)
    ORDER BY i.customer_id, i.id FOR NO KEY UPDATE $sql$, invoices);
  EXECUTE format($sql$
    WITH own AS MATERIALIZED (
      SELECT p.* FROM (SELECT DISTINCT customer_id, payment_id FROM came) AS a
      JOIN %1$I p ON p.customer_id = a.customer_id AND p.id = a.payment_id),
    parts AS MATERIALIZED (
      SELECT DISTINCT a.customer_id, p.id, p.currency, i.id AS invoice_id, i.currency AS invoice_currency, i.document_state
      FROM came a JOIN own p ON p.customer_id = a.customer_id AND p.id = a.payment_id
      JOIN %2$I i ON i.customer_id = a.customer_id AND i.id = a.invoice_id)
    SELECT min(fault) FROM (
      SELECT format('Payment %%s is in %%s, and invoice %%s is in %%s.', id, currency, invoice_id, invoice_currency) AS fault
      FROM parts WHERE currency <> invoice_currency
      UNION ALL SELECT format('Invoice %%s is not issued, so payment %%s can not settle it.', invoice_id, id)
      FROM parts p WHERE document_state <> 'issued' AND (
        SELECT sum(e.amount) FROM %3$I e WHERE e.customer_id = p.customer_id AND e.invoice_id = p.invoice_id) <> 0
      UNION ALL SELECT format('The entries of payment %%s do not add up to its amount.', id)
      FROM own p WHERE (SELECT sum(e.amount) FROM %3$I e WHERE e.customer_id = p.customer_id AND e.payment_id = p.id)
        <> CASE WHEN p.reversed_on IS NULL THEN p.amount ELSE 0 END
      UNION ALL SELECT format('The credit of payment %%s is used or refunded.', id)
      FROM (SELECT DISTINCT r.customer_id, r.id FROM own p
        JOIN %1$I r ON r.customer_id = p.customer_id AND r.id = coalesce(p.refund_of, p.id) AND r.kind = 'payment') AS root
      WHERE (SELECT coalesce(sum(e.amount), 0) FROM %3$I e
          WHERE e.customer_id = root.customer_id AND e.payment_id = root.id AND e.invoice_id IS NULL)
        + (SELECT coalesce(sum(e.amount), 0) FROM %1$I r JOIN %3$I e ON e.customer_id = r.customer_id
            AND e.payment_id = r.id AND e.invoice_id IS NULL
          WHERE r.customer_id = root.customer_id AND r.refund_of = root.id) < 0
      UNION ALL SELECT format('%%s is no credit of a customer.', p.id)
      FROM own p JOIN came a ON a.customer_id = p.customer_id AND a.payment_id = p.id AND a.invoice_id IS NULL
      WHERE p.kind NOT IN ('payment', 'refund')) AS faults $sql$, payments, invoices, TG_TABLE_NAME) INTO wrong;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION '%', wrong USING ERRCODE = 'PY001';
  END IF;
  -- What was settled before payments were recorded, and no backfill has recorded yet.
  EXECUTE format($sql$
    WITH settled AS MATERIALIZED (
      SELECT i.customer_id, i.id, i.currency, i.invoice_date AS day,
        i.id || '#' || (SELECT count(*) + 1 FROM %1$I o WHERE o.customer_id = i.customer_id AND o.invoice_id = i.id) AS payment_id,
        i.total_amount - i.balance_amount - coalesce((SELECT sum(e.amount) FROM %3$I e
          WHERE e.customer_id = i.customer_id AND e.invoice_id = i.id), 0)
        + coalesce(sum(a.amount) FILTER (WHERE p.kind NOT IN ('reported', 'opening')), 0) AS amount
      FROM came a JOIN %2$I i ON i.customer_id = a.customer_id AND i.id = a.invoice_id AND i.document_state = 'issued'
      JOIN %1$I p ON p.customer_id = a.customer_id AND p.id = a.payment_id
      GROUP BY i.customer_id, i.id),
    recorded AS (
      INSERT INTO %1$I (customer_id, id, kind, paid_on, amount, currency, invoice_id, entered_by)
      SELECT customer_id, payment_id, 'opening', day, amount, currency, id, 'issuer' FROM settled WHERE amount <> 0)
    INSERT INTO %3$I (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
    SELECT customer_id, payment_id, 1, id, amount, day, 'applied' FROM settled WHERE amount <> 0 $sql$,
    payments, invoices, TG_TABLE_NAME);
  EXECUTE format($sql$
    UPDATE %2$I i SET balance_amount = i.balance_amount - m.amount
    FROM (SELECT a.customer_id, a.invoice_id, sum(a.amount) AS amount FROM came a
      JOIN %1$I p ON p.customer_id = a.customer_id AND p.id = a.payment_id AND p.kind NOT IN ('reported', 'opening')
      WHERE a.invoice_id IS NOT NULL GROUP BY 1, 2 HAVING sum(a.amount) <> 0) AS m
    WHERE i.customer_id = m.customer_id AND i.id = m.invoice_id $sql$, payments, invoices);
  -- An issuer that has not counted a payment reports its amount as open. When that payment is reversed, the amount is open
  -- once, not twice: above the total counts only what was reported before the payment. The trigger of invoices reverses the
  -- reported rows, so this is a statement of its own: the balance may be the same after both.
  EXECUTE format($sql$
    UPDATE %2$I i SET balance_amount = i.balance_amount - m.sign * m.twice
    FROM (
      SELECT b.customer_id, b.id, b.sign, least(-b.sign * b.amount, b.sign * (b.balance_amount - b.total_amount), coalesce((
        SELECT sum(-b.sign * r.amount) FROM %1$I r WHERE r.customer_id = b.customer_id AND r.invoice_id = b.id
          AND r.kind = 'reported' AND r.reversed_on IS NULL AND b.sign * r.amount < 0 AND r.created_at > (
            SELECT min(e.created_at) FROM %3$I e
            WHERE e.customer_id = b.customer_id AND e.invoice_id = b.id AND e.payment_id = ANY (b.reversed))), 0)) AS twice
      FROM (
        SELECT i.customer_id, i.id, i.total_amount, i.balance_amount, CASE WHEN i.total_amount < 0 THEN -1 ELSE 1 END AS sign,
          sum(a.amount) AS amount, array_agg(a.payment_id) AS reversed
        FROM came a JOIN %1$I p ON p.customer_id = a.customer_id AND p.id = a.payment_id AND p.kind NOT IN ('reported', 'opening')
        JOIN %2$I i ON i.customer_id = a.customer_id AND i.id = a.invoice_id
        WHERE a.cause = 'reversed' GROUP BY i.customer_id, i.id) AS b) AS m
    WHERE i.customer_id = m.customer_id AND i.id = m.id AND m.twice > 0 $sql$, payments, invoices, TG_TABLE_NAME);
  RETURN NULL;
END $keep$;--> statement-breakpoint
CREATE TRIGGER balances_of_added AFTER INSERT ON payment_entries REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_settled_balances();--> statement-breakpoint
-- Records what a customer's next invoices had settled before payments were recorded: for the backfill.
CREATE FUNCTION fill_payments(customer text, after text, most int, OUT count int, OUT last text) LANGUAGE plpgsql AS $fill$
DECLARE
  ids text[];
BEGIN
  SELECT array_agg(id ORDER BY id) INTO ids FROM (
    SELECT id FROM invoices WHERE customer_id = customer AND id > after ORDER BY id LIMIT most FOR NO KEY UPDATE) AS next;
  count := coalesce(cardinality(ids), 0);
  last := ids[count];
  WITH settled AS MATERIALIZED (
    SELECT i.id, i.currency, i.invoice_date AS day,
      i.id || '#' || (SELECT count(*) + 1 FROM payments p WHERE p.customer_id = customer AND p.invoice_id = i.id) AS payment_id,
      i.total_amount - i.balance_amount - coalesce((
      SELECT sum(e.amount) FROM payment_entries e WHERE e.customer_id = customer AND e.invoice_id = i.id), 0) AS amount
    FROM invoices i WHERE i.customer_id = customer AND i.id = ANY (ids) AND i.document_state = 'issued'),
  recorded AS (
    INSERT INTO payments (customer_id, id, kind, paid_on, amount, currency, invoice_id, entered_by)
    SELECT customer, payment_id, 'opening', day, amount, currency, id, 'issuer' FROM settled WHERE amount <> 0)
  INSERT INTO payment_entries (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
  SELECT customer, payment_id, 1, id, amount, day, 'applied' FROM settled WHERE amount <> 0;
END $fill$;--> statement-breakpoint
INSERT INTO backfills (name) VALUES ('payments');
