import { lookUpRows } from '#lib/access/look-ups/backfill.ts'
import { memberPeople } from '#lib/access/people/backfill.ts'
import type { Backfill } from '#lib/db/backfill.ts'
import { auditChaining } from '#lib/history/backfill.ts'
import { invoiceTokens } from '#lib/invoices/search/backfill.ts'

/** Each backfill that a migration of this release asks for. A name stays until no database can have it open. */
export const BACKFILLS: readonly Backfill[] = [auditChaining, invoiceTokens, memberPeople, lookUpRows]
