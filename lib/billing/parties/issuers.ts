import 'server-only'
import { asc, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { issuers } from '#lib/platform/db/schema/invoices/parties.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import type { Unbilled } from './issuer-names.ts'

/** What an invoice says of the company that sends it, beside its name; null: not known. */
export type IssuerDetails = {
  /** A line of the address per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two letters, as `countryOf` of countries.ts gives them. */
  country: string | null
  taxId: string | null
  /** In its country's register of companies. */
  registration: string | null
  bank: string | null
  /** As `ibanOf` and `bicOf` of bank-codes.ts give them. */
  iban: string | null
  bic: string | null
  /** Of a bank without IBAN: account and routing number. */
  account: string | null
  /** What was agreed on payment, in words. */
  terms: string | null
}

/** An issuer from outside. What is left out stays as it is. */
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
}

/** The customer's issuers of which more than the name is known, by name. */
export function listIssuers(tx: Transaction, customerId: CustomerId) {
  const own = eq(issuers.customerId, customerId)
  return tx
    .select({ name: issuers.name, ...issuerColumns })
    .from(issuers)
    .where(own)
    .orderBy(asc(issuers.name))
}

/** Adds an issuer, or changes what is given of one that is there, and writes it into the history. */
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
