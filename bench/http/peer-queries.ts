// Queries of the peer: the rows that the API reads, with the columns of its responses. The names make pg prepare each
// query once per connection, as the API does.

const INVOICE_COLUMNS = `id, number, issuer, document_state, billing_profile_id, platform, currency, total_amount, balance_amount,
  invoice_date::text, due_date::text, (now() AT TIME ZONE 'UTC')::date::text AS today`
const countryOf = (side: string) =>
  `(SELECT p.content ->> 'country' FROM parties p WHERE p.customer_id = invoices.customer_id AND p.id = invoices.${side}_id)
    AS ${side}_country`
const INVOICE_DETAIL_COLUMNS = `${INVOICE_COLUMNS}, form, billing_account, period_start::text, period_end::text, corrects, type_code, net_amount, tax_amount,
  payable_amount, is_tax_calculated, tax_breakdown, purchase_order, buyer_reference, cost_center, payment_terms, carried, ${countryOf('seller')}, ${countryOf('buyer')}`

// The ORDER BY names the table's column: a bare name would be that of the selected text, for which there is no index.
const invoices = (condition: string) => `SELECT ${INVOICE_COLUMNS} FROM invoices i
    WHERE customer_id = $1 AND billing_profile_id = ANY($2) AND document_state = 'issued' ${condition}
    ORDER BY i.invoice_date DESC, i.id DESC LIMIT $3`

export const INVOICES = { name: 'invoices', text: invoices('') }
export const INVOICES_OF_PLATFORM = { name: 'platform', text: invoices('AND platform = $4') }

export const INVOICE = {
  name: 'invoice',
  text: `SELECT ${INVOICE_DETAIL_COLUMNS} FROM invoices WHERE customer_id = $1 AND billing_profile_id = ANY($2) AND id = $3`,
}

export const LINES = {
  name: 'lines',
  text: `SELECT l.position, l.type, l.description, l.price, l.qty, l.currency, l.details,
      l.net_amount AS "netAmount", l.tax_category AS "taxCategory", l.tax_rate AS "taxRate", l.tax_amount AS "taxAmount",
      l.period_start::text AS "periodStart", l.period_end::text AS "periodEnd", l.billing_account AS "billingAccount",
      l.sub_account AS "subAccount", l.unit, l.purchase_order AS "purchaseOrder", l.cost_center AS "costCenter", l.carried,
      l.detail_id AS "detailId", l.charge_category AS "chargeCategory", l.grain, l.payment_currency AS "paymentCurrency",
      l.payment_amount AS "paymentAmount", l.used_quantity AS "usedQuantity", l.used_unit AS "usedUnit", l.sku
    FROM line_items l JOIN invoices i ON i.customer_id = l.customer_id AND i.id = l.invoice_id
    WHERE l.customer_id = $1 AND i.billing_profile_id = ANY($2) AND l.invoice_id = $3 ORDER BY l.position`,
}

const OTHER = 'i.customer_id = $1 AND i.billing_profile_id = ANY($2)'

export const LINKS = {
  name: 'links',
  text: `
    WITH one AS (SELECT * FROM invoices WHERE customer_id = $1 AND billing_profile_id = ANY($2) AND id = $3)
    (SELECT 'corrects' AS role, i.id, i.number FROM one JOIN invoices i ON ${OTHER} AND i.issuer = one.issuer
      AND i.id <> one.id AND i.number = one.corrects AND i.document_state <> 'voided' ORDER BY i.created_at, i.id LIMIT 50)
    UNION ALL
    (SELECT 'correctedBy', i.id, i.number FROM one JOIN invoices i ON ${OTHER} AND i.issuer = one.issuer
      AND i.id <> one.id AND i.corrects = one.number AND i.document_state = 'issued' AND one.document_state <> 'voided'
      ORDER BY i.created_at, i.id LIMIT 50)
    UNION ALL
    (SELECT 'replaces', i.id, i.number FROM one JOIN invoices i ON ${OTHER} AND i.replaced_by = one.id
      ORDER BY i.created_at DESC, i.id DESC LIMIT 50)
    UNION ALL
    (SELECT 'replacedBy', i.id, i.number FROM one JOIN invoices i ON ${OTHER} AND i.id = one.replaced_by LIMIT 50)`,
}

export const FILES = {
  name: 'files',
  text: `SELECT kind, name, digest, octet_length(bytes) AS size FROM invoice_files
    WHERE customer_id = $1 AND invoice_id = $2 ORDER BY kind`,
}

export const PAYMENTS = {
  name: 'payments',
  text: `SELECT p.id, p.kind, trim_scale(sum(e.amount))::text AS amount, p.reference, p.method,
      p.reversed_on::text AS "reversedOn", p.reversal_reason AS "reversalReason", max(e.booked_on)::text AS "bookedOn"
    FROM payment_entries e JOIN payments p ON p.customer_id = $1 AND p.id = e.payment_id
    WHERE e.customer_id = $1 AND e.invoice_id = $2 AND e.cause <> 'reversed'
    GROUP BY p.customer_id, p.id HAVING sum(e.amount) <> 0 ORDER BY max(e.booked_on), p.created_at, p.id`,
}

export const ASSETS = {
  name: 'assets',
  text: `SELECT id, type, name, seats_purchased, created_at,
      (extract(epoch from created_at) * 1000000)::bigint::text AS micros
    FROM assets WHERE customer_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
}

export const SET_QUANTITY = {
  name: 'set-quantity',
  text: 'UPDATE assets SET seats_purchased = $3 WHERE customer_id = $1 AND id = $2 RETURNING id, seats_purchased',
}
