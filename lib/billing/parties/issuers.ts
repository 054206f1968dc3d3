import 'server-only'
import { asc, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { issuers } from '#lib/platform/db/schema/invoices/parties.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import type { Unbilled } from './issuer-names.ts'

/** Details of the issuing company on an invoice, without its name; null: unknown. */
export type IssuerDetails = {
  /** A line of the address per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two letters, as `countryOf` of countries.ts gives them. */
  country: string | null
  taxId: string | null
  /** Number in the company register of its country. */
  registration: string | null
  bank: string | null
  /** Normalized by `ibanOf` and `bicOf` of bank-codes.ts. */
  iban: string | null
  bic: string | null
  /** Account and routing number at a bank without IBAN. */
  account: string | null
  /** Agreed terms of payment, as text. */
  terms: string | null
  /** Template of the address where an invoice can be paid, checked by `paymentUrlError` of payment-url.ts. */
  paymentUrl: string | null
}

/** Input for an issuer. Omitted members keep their values. */
export type NewIssuer = { name: string } & Partial<IssuerDetails & Unbilled>

export const issuerColumns = {
  address: issuers.address,
  postcode: issuers.postcode,
  city: issuers.city,
  country: issuers.country,
  taxId: issuers.taxId,
  registration: issuers.registration,
  bank: issuers.bank,
  iban: issuers.iban,
  bic: issuers.bic,
  account: issuers.account,
  terms: issuers.terms,
  paymentUrl: issuers.paymentUrl,
}

export const NO_DETAILS: IssuerDetails = {
  address: null,
  postcode: null,
  city: null,
  country: null,
  taxId: null,
  registration: null,
  bank: null,
  iban: null,
  bic: null,
  account: null,
  terms: null,
  paymentUrl: null,
}

/** Lists the customer's issuers with details, by name. */
export function listIssuers(tx: Transaction, customerId: CustomerId) {
  const customerFilter = eq(issuers.customerId, customerId)
  return tx
    .select({ name: issuers.name, ...issuerColumns })
    .from(issuers)
    .where(customerFilter)
    .orderBy(asc(issuers.name))
}

/** Adds an issuer, or changes the given details of an existing one, and records it in the history. */
export async function saveIssuer(
  tx: Transaction,
  customerId: CustomerId,
  { name, ...details }: NewIssuer,
  requestId: string,
): Promise<void> {
  const added = tx.insert(issuers).values({ customerId, name, ...details })
  const target = [issuers.customerId, issuers.name]
  if (Object.keys(details).length === 0) await added.onConflictDoNothing({ target })
  else await added.onConflictDoUpdate({ target, set: details })
  const event = { action: 'issuer.set', subject: name, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details })
}
