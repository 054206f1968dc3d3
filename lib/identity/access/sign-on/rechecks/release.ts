import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { tellAdmins } from '../../sign-ins/account-mail.ts'
import { isInDns, listDomains } from '../domains.ts'
import { findOwnerOf } from '../look-up.ts'
import { LOST_DAYS, lockDomain, noteDomain } from './store.ts'

/**
 * To be asked when a customer has just shown its record in the DNS of a domain: ends the proof of another customer, whose own
 * record has been missing for seven days and is so now, also where that was kept because its people have no other way in. That
 * one's Admins are told, and its passwords stay off: whoever has the domain now reads the mails that are sent to it, so the
 * operator is asked who they are, and lets them in (decision 113). What the operator has confirmed is not taken so.
 */
export async function releaseLost(domain: string, newOwner: CustomerId, requestId: string): Promise<void> {
  const owner = await findOwnerOf(domain)
  if (owner === undefined || owner === newOwner) return
  const domains = await readScope({ customerId: owner }, (tx) => listDomains(tx, owner))
  const row = domains.find((one) => one.domain === domain)
  if (!row || row.lostAt === null || (await isInDns(domain, row.token))) return
  const end = async (tx: Transaction) => {
    if (!(await lockDomain(tx, owner, domain, LOST_DAYS))?.isOver) return false
    await noteDomain(tx, owner, domain, 'ended')
    const event = { action: 'sign-on-domain.ended', subject: domain, actor: OPERATOR, requestId }
    await recordAudit(tx, owner, { ...event, details: { by: 'proof of another customer' } })
    await tellAdmins(tx, owner, 'domain-ended', domain)
    return true
  }
  if (await scope({ customerId: owner }, end, { evenIfClosed: true }))
    log().warn(
      { requestId, customerId: owner, domain },
      'a domain went to another customer, who has proven it',
    )
}
