import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Session } from './contract.ts'
import { deviceOf } from './device.ts'
import type { SessionRow } from './store.ts'

export function serializeSession(row: SessionRow, { session }: Pick<Caller, 'session'>): Session {
  return {
    id: row.id,
    member: { id: row.memberId, name: row.memberName, email: row.memberEmail },
    device: deviceOf(row.userAgent),
    ...(row.address ? { address: row.address } : {}),
    createTime: row.createdAt.getTime(),
    lastSeenTime: row.lastSeenAt.getTime(),
    isCurrent: row.id === session,
  }
}
