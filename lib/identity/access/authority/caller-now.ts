import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import { KEY_CALLERS } from '#lib/platform/caller/authenticate.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { callerIn, SESSION_CALLERS } from '#lib/platform/caller/session.ts'
import { type CallerRow, provenCaller } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

/**
 * The caller as they are now, by the statements that found them when the request began: a role that they lost meanwhile is
 * gone, and so is a billing profile. The operator and a directory are given back as they are.
 * @throws Problem `unauthenticated` where the session or key has ended since, or its member was shut out
 */
export async function callerNow(tx: Transaction, caller: Caller): Promise<Caller> {
  const { via, customerId, id, session } = caller
  if (via === 'session' && session !== undefined) {
    const row = await only(tx, customerId, SESSION_CALLERS, sql`s.digest = ${session}`)
    return callerIn(row, session)
  }
  if (via !== 'key') return caller
  return provenCaller(await only(tx, customerId, KEY_CALLERS, sql`k.id = ${id}`), 'key')
}

async function only(
  tx: Transaction,
  customerId: CustomerId,
  callers: string,
  which: SQL,
): Promise<CallerRow> {
  const parts = callers.split('$1').map((part) => sql.raw(part))
  const { rows } = await tx.execute<CallerRow>(sql`${sql.join(parts, sql`${customerId}`)} AND ${which}`)
  const [row] = rows
  if (row) return { ...row, closed_at: dateOf(row.closed_at), gone_at: dateOf(row.gone_at) }
  throw new Problem('unauthenticated', 'What this request was signed in with has ended meanwhile.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

/** drizzle hands times on as PostgreSQL writes them. */
function dateOf(time: Date | string | null): Date | null {
  return time === null ? null : new Date(time)
}
