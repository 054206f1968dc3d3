import 'server-only'
import { sql } from 'drizzle-orm'
import { checkPermission } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScopeAtOnce } from '#lib/platform/db/scope.ts'

/** More of one kind nobody goes through in a menu; whoever means another one writes it into the address. */
const MOST = 200

/**
 * What filters can offer, of the caller's assets: their domains, and the statuses of their subscriptions, each in order.
 * @throws Problem `permission_denied`
 */
export async function readChoices(caller: Caller): Promise<{ domains: string[]; statuses: string[] }> {
  checkPermission(caller, 'licenses-manager')
  const { customerId } = caller
  const { rows } = await readScopeAtOnce(
    caller,
    (tx) =>
      tx.execute<{ domain: string | null; status: string | null }>(sql`
        (SELECT DISTINCT customer_domain COLLATE "C" AS domain, NULL AS status FROM assets
          WHERE customer_id = ${customerId} ORDER BY 1 LIMIT ${MOST})
        UNION ALL
        (SELECT DISTINCT NULL, status COLLATE "C" FROM assets
          WHERE customer_id = ${customerId} AND status IS NOT NULL ORDER BY 2 LIMIT ${MOST})`),
    { mayBeOld: true },
  )
  return {
    domains: rows.flatMap(({ domain }) => domain ?? []),
    statuses: rows.flatMap(({ status }) => status ?? []),
  }
}
