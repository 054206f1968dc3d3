import { credentialIndexBackfill } from '#lib/platform/caller/credentials.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { auditChaining } from '#lib/platform/history/chain-rows.ts'
import { DOMAIN_WORK } from '../domain-work.ts'

/** Each backfill that a migration of this release asks for: those of the platform, then those of the domains. */
export const BACKFILLS: readonly Backfill[] = [
  auditChaining,
  credentialIndexBackfill,
  ...DOMAIN_WORK.flatMap(({ backfills = [] }) => backfills),
]
