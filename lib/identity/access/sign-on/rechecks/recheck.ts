import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { customersWithDueDomains } from '../../due-work.ts'
import { tellAdmins } from '../../sign-ins/account-mail.ts'
import { isInDns } from '../domains.ts'
import { dueDomains, LOST_DAYS, lockDomain, noteDomain } from './store.ts'

/** What became of a domain whose record was looked for. */
type Found = 'there' | 'lost' | 'found' | 'ended'

/**
 * Looks once a day whether the DNS still has the records by which domains were proven. Of one whose record is missing the
 * Admins are told; after seven days it is proven no more, until somebody proves it anew. What the operator has confirmed is
 * not looked for. Where passwords are off, the last domain stays lost instead, for nobody could sign in without
 * it, until another customer proves it (`release.ts`). Where no name server answers, nothing is known, and the next run asks again.
 * @returns how many domains were lost, found again or ended
 */
export async function recheckDomains(requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const customerId of await customersWithDueDomains()) {
    for (const { domain, token } of await scope({ customerId }, (tx) => dueDomains(tx, customerId), LATE)) {
      if (signal.aborted) return count
      const isThere = await isInDns(domain, token).catch((error: unknown) => {
        log().warn(
          { requestId, customerId, domain, reason: reasonOf(error) },
          'record of a domain not looked for',
        )
      })
      if (isThere === undefined) continue
      const note = (tx: Transaction) => noteFound(tx, customerId, domain, { isThere, requestId })
      const found = await scope({ customerId }, note, LATE)
      if (found === 'there') continue
      count += 1
      if (found !== 'found') log().warn({ requestId, customerId, domain }, SAID[found])
    }
  }
  return count
}

/** People sign in to a closed customer, too. */
const LATE = { evenIfClosed: true }

const SAID = {
  lost: 'the DNS record of a domain is missing',
  ended: 'a domain is not proven any more: single sign-on does not find it',
}

async function noteFound(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
  { isThere, requestId }: { isThere: boolean; requestId: string },
): Promise<Found> {
  const row = await lockDomain(tx, customerId, domain, LOST_DAYS)
  // Taken away, confirmed or ended meanwhile.
  if (!row) return 'there'
  const found = foundOf(isThere, row)
  await noteDomain(tx, customerId, domain, found)
  if (found === 'lost' && row.isLost) return 'there'
  if (found === 'there') return found
  const event = { action: `sign-on-domain.${found}`, subject: domain, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details: { by: 'daily look at the DNS' } })
  if (found !== 'found') await tellAdmins(tx, customerId, `domain-${found}`, domain)
  return found
}

type Row = { isLost: boolean; isOver: boolean; isLastWay: boolean }

function foundOf(isThere: boolean, { isLost, isOver, isLastWay }: Row): Found {
  if (isThere) return isLost ? 'found' : 'there'
  return isOver && !isLastWay ? 'ended' : 'lost'
}
