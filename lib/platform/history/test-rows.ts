import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { noteCaller, runWithRequestContext } from '#lib/platform/runtime/log.ts'
import { type AuditEvent, recordAudit } from './audit.ts'

const FIREFOX = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Adds an event of a member in a browser: a key was revoked, unless overridden. */
export function addEvent(customer: string, overrides: Partial<AuditEvent> = {}): Promise<void> {
  const customerId = customer as CustomerId
  const actor = { kind: 'member', id: 'M1', name: 'Ana Ruiz' } as const
  const requestId = '2b1f8c0e-1d0b-4b1e-9f43-6f6a3e0d7c55'
  return runWithRequestContext({ requestId, address: '192.0.2.7', agent: FIREFOX }, () => {
    noteCaller({ id: overrides.actor?.id ?? actor.id, customerId: customer, session: 'q3Vb0fJxk2Lm…' })
    const event = { action: 'key.revoked', subject: 'K7', actor, requestId, ...overrides }
    return scope({ customerId }, (tx) => recordAudit(tx, customerId, event))
  })
}
