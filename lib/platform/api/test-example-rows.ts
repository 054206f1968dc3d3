import { storeFile } from '#lib/billing/invoice-files/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addMember } from '#lib/platform/db/test-rows.ts'

// Rows that the examples of promises.test.ts need in addition to the shared test rows.

type ExampleChange = { id: string; asset: string; from: number; to: number; state: string; at: string }

/** Returns functions that add the rows to a database. */
export function exampleRows(database: TestDatabase) {
  function storeDocument(invoiceId: string, name: string) {
    const customerId = 'northwind' as CustomerId
    const file = { invoiceId, kind: 'original-pdf', name, bytes: Buffer.from('%PDF-1.7\n%%EOF\n') } as const
    return scope({ customerId }, (tx) => storeFile(tx, customerId, file))
  }

  function addChange(change: ExampleChange) {
    const { id, asset, from, to, state, at } = change
    const endedAt = state === 'UNKNOWN' ? null : at
    return database.sql(
      'northwind',
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, sent_at, settled_at)
     VALUES ('northwind', $1, $2, $3, $4, $5, 'key', 'K1', 'joiners-sync', 'r', $6, now(), $6, $7)`,
      [id, asset, from, to, state, at, endedAt],
    )
  }

  function acknowledge(id: string, at: string) {
    return database.sql(
      'northwind',
      `UPDATE license_changes SET acknowledged_at = $2, acknowledged_by_kind = 'member', acknowledged_by_id = 'M1',
       acknowledged_by_name = 'Ana Ruiz', vendor_reason = $3 WHERE id = $1`,
      [
        id,
        at,
        'We can’t tell whether the change to 110 reached Microsoft: it did not answer when it was asked.',
      ],
    )
  }

  /** Adds Ben, who is deactivated and reactivated, and Bea, who is invited. */
  async function addColleagues() {
    const times = (text: string) => new Date(text)
    await addMember('northwind', {
      ...{ id: 'm-ben', name: 'Ben Ito', email: 'ben@northwind.example', addedBy: 'Ana Ruiz' },
      roles: ['it-manager'],
      createdAt: times('2026-02-02T09:00:00Z'),
      lastSignInAt: times('2026-11-22T08:00:00Z'),
    })
    await addMember('northwind', { id: 'm-dan', email: 'dan@northwind.example', roles: ['it-manager'] })
    await database.sql(
      'northwind',
      `INSERT INTO second_factors (person_id, reach, kind, name, secret) SELECT person_id, NULL, 'totp', 'App', 'sealed'
       FROM members WHERE id IN ('m-ben', 'm-dan')`,
      [],
    )
    await addMember('northwind', {
      ...{ id: 'm-bea', name: 'Bea Lind', email: 'bea@northwind.example', addedBy: 'Ana Ruiz' },
      roles: ['finance-user'],
      billingProfiles: ['default'],
      createdAt: times('2026-11-20T10:00:00Z'),
      invitedAt: times('2026-11-20T10:00:00Z'),
    })
    await database.sql(
      'northwind',
      `INSERT INTO account_links (customer_id, member_id, kind, digest, made_by, expires_at)
       VALUES ('northwind', 'm-bea', 'invitation', 'none', 'm-ana', '2026-11-27T10:00:00Z')`,
      [],
    )
  }

  /** Adds invoices that carry the billing profile, one of them posted. */
  async function addPosted() {
    await database.sql(
      'northwind',
      `UPDATE billing_profiles SET purchase_order = 'PO-4500017', cost_center = '4711' WHERE customer_id = $1`,
      ['northwind'],
    )
    await database.sql(
      'northwind',
      `INSERT INTO issuers (customer_id, name, country) VALUES ($1, 'Fernhill Cloud GmbH', 'DE')`,
      ['northwind'],
    )
    const postingFields = { purchaseOrder: 'PO-4500017', carried: ['costCenter'] }
    const account = { billingAccount: 'FC-1140' }
    await addInvoice(
      'northwind',
      'RE-2025-1140',
      {
        ...{
          platform: 'office-suite',
          issuer: 'Fernhill Cloud GmbH',
          currency: 'EUR',
          isHistory: true,
          balanceAmount: '0',
        },
        ...{ invoiceDate: '2025-11-30', dueDate: '2025-12-30', totalAmount: '595.00', typeCode: '380' },
        ...{ ...postingFields, ...account, buyerReference: 'NW-BER', costCenter: '4711' },
        ...{ paymentTerms: 'Payable within 30 days, without deduction.' },
        ...{ netAmount: '500.00', taxAmount: '95.00' },
      },
      [
        {
          ...{ description: 'Office E3', price: '12.50', qty: '40', netAmount: '500.00' },
          ...{ taxCategory: 'S', taxRate: '19', taxAmount: '95.00', unit: 'MON' },
          ...{ ...postingFields, ...account, subAccount: 'berlin', costCenter: '4712' },
          ...{ periodStart: '2025-11-01', periodEnd: '2025-12-01' },
        },
      ],
    )
  }

  /** Adds single sign-on at an issuer that is never called, for a domain that the operator has approved. */
  async function addSignOn() {
    for (const [id, name] of [
      ['9a7d2c51-52a4-4b7e-a7c5-60a1a1a5f2d4', 'Northwind'],
      ['p-former', 'Former'],
    ])
      await database.sql(
        'northwind',
        `INSERT INTO identity_providers (customer_id, id, name, issuer, client_id, client_secret, scopes)
         VALUES ('northwind', $1, $2, 'https://login.northwind.example', 'console', 'sealed', '{openid,email,profile}')`,
        [id, name],
      )
    await database.sql(
      'northwind',
      `INSERT INTO sign_on_domains (customer_id, domain, provider_id, token, proven_at, proven_by)
       VALUES ('northwind', 'northwind.example', '9a7d2c51-52a4-4b7e-a7c5-60a1a1a5f2d4',
         '5b1f0c9f3a6d4e2b8c7a1d0e9f2b3c4d5e6f7a8b', '2026-11-20T10:00:00Z', 'operator')`,
      [],
    )
  }
  /** Adds a directory's token, which is in use, and a group with Ben that has no roles. */
  async function addDirectory() {
    await database.sql(
      'northwind',
      `INSERT INTO scim_tokens (customer_id, id, name, digest, last_four, roles, created_at, last_used_at)
       VALUES ('northwind', 't-entra', 'Entra ID', 'none', 'f3Kq', '{it-manager,finance-user}', '2026-11-20T10:00:00Z',
         '2026-11-22T08:00:00Z')`,
      [],
    )
    await database.sql(
      'northwind',
      `INSERT INTO scim_groups (customer_id, id, display_name) VALUES ('northwind', 'g-staff', 'Staff'),
         ('northwind', 'g-billing', 'Billing team')`,
      [],
    )
    await database.sql(
      'northwind',
      `INSERT INTO scim_group_members (customer_id, group_id, member_id) VALUES ('northwind', 'g-staff', 'm-ben')`,
      [],
    )
  }
  /** Adds a webhook with a delivered and a waiting event, and one to remove. */
  async function addWebhooks() {
    await database.sql(
      'northwind',
      `INSERT INTO webhook_endpoints (customer_id, id, name, url, kinds, billing_profiles, owner_id, secret, created_at)
       VALUES ('northwind', 'w-erp', 'ERP', 'https://erp.northwind.example/hooks', '{invoice.issued,invoice.corrected}',
         '{default}', 'm-ana', 'sealed', to_timestamp(1795334400))`,
      [],
    )
    const event = (id: string, kind: string) =>
      JSON.stringify({ event: id, kind, profile: 'default', ids: { invoiceId: 'IN-2026-0001' } })
    for (const [id, seq, content, state, at, endedAt, notBefore, reason] of [
      ['d-1', 41, event('5f0c4f7e-6a0e-4b55-9d0c-0f8e1c6b2a11', 'invoice.issued'), 'SENT', 0, 1, 'now', null],
      [
        ...['d-2', 42, event('c1d0a6de-1f4e-4f0b-8a54-51d3c5f1f1a2', 'invoice.corrected'), 'WAITING', 100],
        ...[null, 'infinity', 'The receiver answered 503.'],
      ],
    ] as const)
      await database.sql(
        'northwind',
        `INSERT INTO outbox (customer_id, id, seq, kind, recipient, content, state, attempts, created_at, ended_at,
           not_before, reason)
         VALUES ('northwind', $1, $2, 'webhook', 'w-erp', $3, $4, 1, to_timestamp(1795334400 + $5::int),
           to_timestamp(1795334400 + $6::int), $7, $8)`,
        [id, seq, content, state, at, endedAt, notBefore, reason],
      )
    for (const [id, status] of [
      ['d-1', 204],
      ['d-2', 503],
    ] as const)
      await database.sql(
        'northwind',
        `INSERT INTO webhook_attempts (customer_id, message_id, number, at, took_ms, url, status, response)
         VALUES ('northwind', $1, 1, to_timestamp(1795334400.5), 118, 'https://erp.northwind.example/hooks', $2, '')`,
        [id, status],
      )
    await database.sql(
      'northwind',
      `INSERT INTO webhook_endpoints (customer_id, id, name, url, owner_id, secret, created_at)
       VALUES ('northwind', 'w-former', 'Former', 'https://former.northwind.example', 'm-ben', 'sealed',
         to_timestamp(1795334500))`,
      [],
    )
  }

  /** Adds a payment that settles no invoice. */
  async function addCredit() {
    await database.sql(
      'northwind',
      `INSERT INTO payments (customer_id, id, kind, paid_on, amount, currency, reference, method, payer, end_to_end_id,
         remittance, entered_by)
       VALUES ($1, 'pay-1', 'payment', '2025-11-20', 250, 'CHF', 'BANK-17', 'bank transfer', 'Northwind Labs',
         'PAY-2025-11', 'Deposit', 'Operator')`,
      ['northwind'],
    )
    await database.sql(
      'northwind',
      `INSERT INTO payment_entries (customer_id, payment_id, position, amount, booked_on, cause)
       VALUES ($1, 'pay-1', 1, 250, '2025-11-20', 'applied')`,
      ['northwind'],
    )
  }
  /** Adds an address that gets notices with PDFs, and one that bounced. */
  async function addRecipients() {
    await database.sql(
      'northwind',
      `INSERT INTO notice_recipients (customer_id, id, email, failure, failed_at) VALUES
         ('northwind', 'recipient-books', 'books@northwind.example', NULL, NULL),
         ('northwind', 'recipient-late', 'late@northwind.example', '550 5.1.1 No such user here', now())`,
      [],
    )
    await database.sql(
      'northwind',
      `INSERT INTO notice_subscriptions (customer_id, recipient_id, billing_profile_id, kinds, attaches_pdf, since) VALUES
         ('northwind', 'recipient-books', 'default', '{new,due,past-due}', true, to_timestamp(1795168800)),
         ('northwind', 'recipient-late', 'default', '{new}', false, to_timestamp(1795168800))`,
      [],
    )
  }
  return {
    addWebhooks,
    addCredit,
    addRecipients,
    addDirectory,
    addPosted,
    addSignOn,
    storeDocument,
    addChange,
    acknowledge,
    addColleagues,
  }
}
