import { deviceOf } from '#lib/identity/sessions/device.ts'
import type { AuditEvent } from './contract.ts'
import type { EventRow } from './store.ts'

export function serializeAuditEvent(row: EventRow): AuditEvent {
  const { id, seq, at, action, subject, requestId, session, address, agent, details } = row
  return {
    id,
    ...(seq === null ? {} : { place: seq }),
    createTime: at.getTime(),
    action,
    subject,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    requestId,
    ...(session === null ? {} : { session }),
    ...(address === null ? {} : { address }),
    ...(agent === null ? {} : { browser: agent, device: deviceOf(agent) }),
    details,
  }
}
