import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

// The customer is the first column of every primary key, foreign key and index of a tenant table, so
// that one customer's rows lie together. Row-level security is in the migration `walls`.

/** Text that orders and pages the same on every server, whatever its locale. */
const key = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })
const time = (name: string) => timestamp(name, { withTimezone: true })
const createdAt = () => time('created_at').notNull().default(sql`now()`)
const customerId = () => key('customer_id').notNull()
/**
 * An amount for order and pages alone, never to be answered or added up. PostgreSQL lets no index be asked beyond a
 * `numeric` under row-level security, because its comparison is not leakproof; that of floats is. It tells apart
 * whatever a JSON number tells apart, and import takes no other amounts.
 */
const sortable = (name: string, amount: string) =>
  doublePrecision(name).generatedAlwaysAs(sql.raw(`${amount}::double precision`))

export const customers = pgTable('customers', {
  id: key('id').primaryKey(),
  name: text('name').notNull(),
  domain: text('domain').notNull().unique(),
  contactEmail: text('contact_email').notNull(),
  createdAt: createdAt(),
})

export const billingProfiles = pgTable(
  'billing_profiles',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    address: text('address'),
    taxId: text('tax_id'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.id] })],
)

export const members = pgTable(
  'members',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    /** Argon2id; null: this member can't sign in yet. */
    passwordHash: text('password_hash'),
    roles: text('roles').array().notNull(),
    /** Null: all of the customer's. */
    billingProfiles: text('billing_profiles').array(),
    disabledAt: time('disabled_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('members_email').on(sql`lower(${t.email})`),
    check('members_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)

/** Attempts to sign in that count against the next ones. No tenant's: who calls is not known yet. */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    attempt: key('attempt').notNull(),
    /** Digest of an account at an address, or of an address: neither is kept in clear. */
    subject: key('subject').notNull(),
    at: time('at').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.attempt, t.subject] }),
    index('sign_in_attempts_subject').on(t.subject, t.at),
    index('sign_in_attempts_oldest').on(t.at),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    customerId: customerId(),
    /** SHA-256 of the id in the cookie: a read of this table opens no session. */
    digest: key('digest').notNull(),
    memberId: key('member_id').notNull(),
    createdAt: createdAt(),
    lastSeenAt: time('last_seen_at').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.digest] }),
    uniqueIndex('sessions_digest').on(t.digest),
    index('sessions_member').on(t.customerId, t.memberId),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the key: it can't be read back. */
    digest: key('digest').notNull(),
    prefix: text('prefix').notNull(),
    lastFour: text('last_four').notNull(),
    roles: text('roles').array().notNull(),
    billingProfiles: text('billing_profiles').array(),
    /** The member who issued it; null: issued on the command line. */
    issuedBy: key('issued_by'),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    lastUsedAt: time('last_used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('api_keys_digest').on(t.digest),
    foreignKey({ columns: [t.customerId, t.issuedBy], foreignColumns: [members.customerId, members.id] }),
    check('api_keys_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)

export const assets = pgTable(
  'assets',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    type: text('type').notNull(),
    name: text('name').notNull(),
    customerDomain: text('customer_domain').notNull(),
    vendorCustomerId: text('vendor_customer_id').notNull(),
    reseller: text('reseller').notNull(),
    vendor: text('vendor').notNull().default('built-in'),
    createdAt: createdAt(),
    /** Null, like all that follows: an asset without licenses, billed by usage. */
    subscriptionId: text('subscription_id'),
    skuId: text('sku_id'),
    skuName: text('sku_name'),
    billingMethod: text('billing_method'),
    status: text('status'),
    purchaseOrderId: text('purchase_order_id'),
    resourceUiUrl: text('resource_ui_url'),
    planName: text('plan_name'),
    isCommitmentPlan: boolean('is_commitment_plan'),
    commitmentStart: time('commitment_start'),
    commitmentEnd: time('commitment_end'),
    renewalType: text('renewal_type'),
    seatsPurchased: integer('seats_purchased'),
    seatsMaximum: integer('seats_maximum'),
    seatsAssigned: integer('seats_assigned'),
    /** Moves when purchased seats, plan or status change; never with assigned seats. */
    seatVersion: integer('seat_version').notNull().default(1),
    /** When its vendor last told us of it; null where the books are ours. */
    observedAt: time('observed_at'),
    /** What its vendor will do at the next renewal by itself, as it told us last. */
    scheduledTotal: integer('scheduled_total'),
    scheduledAt: time('scheduled_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('assets_newest').on(t.customerId, t.createdAt, t.id),
    index('assets_type_newest').on(t.customerId, t.type, t.createdAt, t.id),
    // What the vendors' lists are matched by: they know no customer of ours.
    index('assets_at_vendor').on(t.vendor, t.vendorCustomerId, t.skuId).where(sql`${t.vendor} <> 'built-in'`),
    check('assets_id_starts_with_type', sql`starts_with(${t.id}, ${t.type} || '-')`),
    check('assets_seats', sql`least(${t.seatsPurchased}, ${t.seatsMaximum}, ${t.seatsAssigned}) >= 0`),
    check(
      'assets_subscription_whole',
      sql`num_nonnulls(${t.subscriptionId}, ${t.skuId}, ${t.skuName}, ${t.billingMethod}, ${t.status}, ${t.planName}, ${t.isCommitmentPlan}, ${t.seatsPurchased}, ${t.seatsMaximum}, ${t.seatsAssigned}) in (0, 10)`,
    ),
  ],
)

export const licenseChanges = pgTable(
  'license_changes',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    assetId: key('asset_id').notNull(),
    fromQuantity: integer('from_quantity').notNull(),
    toQuantity: integer('to_quantity').notNull(),
    state: text('state').notNull(),
    /** Why the vendor refused, or what is known of a failure. */
    vendorReason: text('vendor_reason'),
    vendorRequestId: text('vendor_request_id'),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    createdAt: createdAt(),
    /** When it was claimed, sent or settled: how old a claim or a call is. */
    movedAt: time('moved_at').notNull().default(sql`now()`),
    /** When its call could leave; null: it never was the vendor's to do. */
    sentAt: time('sent_at'),
    /** When the vendor was last asked what became of it: who writes it may ask. */
    checkedAt: time('checked_at'),
    settledAt: time('settled_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // One open change per asset, whatever races.
    uniqueIndex('license_changes_open')
      .on(t.customerId, t.assetId)
      .where(sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN')`),
    index('license_changes_newest').on(t.customerId, t.assetId, t.createdAt),
    index('license_changes_all_newest').on(t.customerId, t.createdAt, t.id),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    check(
      'license_changes_state',
      sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN', 'APPLIED', 'REJECTED', 'FAILED', 'DRIFT')`,
    ),
    check(
      'license_changes_settled',
      sql`(${t.settledAt} is null) = (${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN'))`,
    ),
    check('license_changes_quantities', sql`least(${t.fromQuantity}, ${t.toQuantity}) >= 0`),
  ],
)

/** Purchased and assigned seats from a time on, as they were seen: a row where one of the two changed. */
export const seatReadings = pgTable(
  'seat_readings',
  {
    customerId: customerId(),
    assetId: key('asset_id').notNull(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    purchased: integer('purchased').notNull(),
    assigned: integer('assigned').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.assetId, t.at] }),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    check('seat_readings_seats', sql`least(${t.purchased}, ${t.assigned}) >= 0`),
  ],
)

/** Answers kept under a caller's Idempotency-Key, for 24 hours. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    customerId: customerId().references(() => customers.id),
    /** `key:<id>`, `session:<member's id>` or `operator:operator`: callers don't share keys. */
    caller: key('caller').notNull(),
    key: key('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    /** The change that the request began or joined, until its answer is known. */
    changeId: key('change_id'),
    /** Null until the request is settled, in the same transaction. */
    code: text('code'),
    version: text('version'),
    /** Text, not jsonb: jsonb would reorder the keys, and a replay is equal to the byte. */
    body: text('body'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.caller, t.key] }),
    index('idempotency_keys_oldest').on(t.customerId, t.createdAt),
  ],
)

export const auditEvents = pgTable(
  'audit_events',
  {
    customerId: customerId().references(() => customers.id),
    id: bigint('id', { mode: 'bigint' }).generatedAlwaysAsIdentity(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    action: text('action').notNull(),
    subject: text('subject').notNull(),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    details: jsonb('details').notNull(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.id] })],
)

/** Who sends a customer's invoices, with what the paper says of them. An invoice names its issuer by name. */
export const issuers = pgTable(
  'issuers',
  {
    customerId: customerId().references(() => customers.id),
    name: key('name').notNull(),
    /** One line of the address per line. */
    address: text('address'),
    taxId: text('tax_id'),
    bank: text('bank'),
    iban: text('iban'),
    bic: text('bic'),
    /** Of a bank without IBAN: account and routing number, in one line. */
    account: text('account'),
    /** What was agreed on payment, in words. */
    terms: text('terms'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.name] })],
)

export const invoices = pgTable(
  'invoices',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    billingProfileId: key('billing_profile_id').notNull(),
    platform: text('platform').notNull(),
    issuer: text('issuer').notNull(),
    invoiceDate: date('invoice_date').notNull(),
    dueDate: date('due_date').notNull(),
    currency: text('currency').notNull(),
    totalAmount: numeric('total_amount').notNull(),
    balanceAmount: numeric('balance_amount').notNull(),
    totalSort: sortable('total_sort', 'total_amount'),
    balanceSort: sortable('balance_sort', 'balance_amount'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('invoices_newest').on(t.customerId, t.invoiceDate, t.id),
    index('invoices_platform_newest').on(t.customerId, t.platform, t.invoiceDate, t.id),
    index('invoices_due').on(t.customerId, t.dueDate, t.id),
    index('invoices_total').on(t.customerId, t.totalSort, t.id),
    index('invoices_balance').on(t.customerId, t.balanceSort, t.id),
    index('invoices_arrived').on(t.customerId, t.createdAt, t.id),
    index('invoices_unsettled').on(t.customerId, t.dueDate, t.id).where(sql`${t.balanceAmount} <> 0`),
    index('invoices_statement')
      .on(t.customerId, t.currency, t.billingProfileId, t.dueDate, t.id)
      .where(sql`${t.balanceAmount} <> 0`),
    foreignKey({
      columns: [t.customerId, t.billingProfileId],
      foreignColumns: [billingProfiles.customerId, billingProfiles.id],
    }),
    check('invoices_currency', sql`${t.currency} ~ '^[A-Z]{3}$'`),
    check('invoices_dates', sql`${t.dueDate} >= ${t.invoiceDate}`),
  ],
)

export const lineItems = pgTable(
  'line_items',
  {
    customerId: customerId(),
    invoiceId: key('invoice_id').notNull(),
    position: integer('position').notNull(),
    type: text('type').notNull(),
    description: text('description').notNull(),
    /** Per unit. */
    price: numeric('price').notNull(),
    qty: numeric('qty').notNull(),
    currency: text('currency').notNull(),
    details: text('details'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.position] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
  ],
)

const NOTICES = sql.raw(`array['new','due','past-due']`)

/** Whom notices of invoices go to: one address, whichever of the customer's billing profiles it is told of. */
export const noticeRecipients = pgTable(
  'notice_recipients',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    email: text('email').notNull(),
    /** The notices that this person does not want; kept also when the operator takes the address out. */
    stopped: text('stopped').array().notNull().default(sql`'{}'`),
    /** Why the mail server refused the address, which is not tried again; null: it is good. */
    failure: text('failure'),
    failedAt: time('failed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('notice_recipients_email').on(t.customerId, sql`lower(${t.email})`),
    check('notice_recipients_stopped', sql`${t.stopped} <@ ${NOTICES}`),
    check('notice_recipients_failed', sql`(${t.failure} is null) = (${t.failedAt} is null)`),
  ],
)

/** Which notices an address gets of which billing profile. */
export const noticeSubscriptions = pgTable(
  'notice_subscriptions',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    billingProfileId: key('billing_profile_id').notNull(),
    kinds: text('kinds').array().notNull(),
    /** What arrived before is not told of as new. */
    since: time('since').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.billingProfileId] }),
    foreignKey({
      columns: [t.customerId, t.recipientId],
      foreignColumns: [noticeRecipients.customerId, noticeRecipients.id],
    }),
    foreignKey({
      columns: [t.customerId, t.billingProfileId],
      foreignColumns: [billingProfiles.customerId, billingProfiles.id],
    }),
    check('notice_subscriptions_kinds', sql`${t.kinds} <@ ${NOTICES} and ${t.kinds} <> '{}'`),
  ],
)

/** A mail to a recipient: one a day at most, whatever races. Written before it is sent. */
export const noticeMails = pgTable(
  'notice_mails',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    /** The day of UTC on which it was written. */
    toldOn: date('told_on').notNull(),
    state: text('state').notNull().default('SENDING'),
    /** How often it may have left: what surely did not leave is not counted. */
    attempts: integer('attempts').notNull().default(1),
    claimedAt: time('claimed_at').notNull().default(sql`now()`),
    /** Whether it tells again of something that is past due. */
    reminds: boolean('reminds').notNull().default(false),
    /** Why the mail server refused it. */
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.toldOn] }),
    foreignKey({
      columns: [t.customerId, t.recipientId],
      foreignColumns: [noticeRecipients.customerId, noticeRecipients.id],
    }),
    check('notice_mails_state', sql`${t.state} in ('SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
    check('notice_mails_attempts', sql`${t.attempts} >= 1`),
  ],
)

/** What a mail tells: a kind of notice of an invoice. Past due is told again, the others never. */
export const notices = pgTable(
  'notices',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    invoiceId: key('invoice_id').notNull(),
    kind: text('kind').notNull(),
    toldOn: date('told_on').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.invoiceId, t.kind, t.toldOn] }),
    uniqueIndex('notices_once')
      .on(t.customerId, t.recipientId, t.invoiceId, t.kind)
      .where(sql`${t.kind} <> 'past-due'`),
    index('notices_of_mail').on(t.customerId, t.recipientId, t.toldOn),
    index('notices_of_invoice').on(t.customerId, t.invoiceId),
    foreignKey({
      columns: [t.customerId, t.recipientId, t.toldOn],
      foreignColumns: [noticeMails.customerId, noticeMails.recipientId, noticeMails.toldOn],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
    check('notices_kind', sql`array[${t.kind}] <@ ${NOTICES}`),
  ],
)
