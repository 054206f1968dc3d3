import { taxOfGrossLines } from '#lib/billing/invoice-files/reissue.ts'
import { payableAmounts } from '#lib/billing/invoices/sums/verify-totals.ts'
import { invoiceTokens } from '#lib/billing/invoices/tokens.ts'
import { paymentOpenings } from '#lib/billing/payments/store.ts'
import { memberPeople } from '#lib/identity/access/people/backfill.ts'
import { credentialIndexBackfill } from '#lib/platform/caller/credentials.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { auditChaining } from '#lib/platform/history/chain-rows.ts'

/** Each backfill that a migration of this release asks for. A name stays until no database can have it open. */
export const BACKFILLS: readonly Backfill[] = [
  auditChaining,
  invoiceTokens,
  memberPeople,
  credentialIndexBackfill,
  payableAmounts,
  paymentOpenings,
  taxOfGrossLines,
]
