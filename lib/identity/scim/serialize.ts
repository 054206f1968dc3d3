import 'server-only'
import { hash } from 'node:crypto'
import type { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { env } from '#lib/platform/runtime/env.ts'
import * as shapes from './contract.ts'
import type { GroupRow, UserRow } from './store.ts'

export type User = z.output<typeof shapes.User>
export type Group = z.output<typeof shapes.Group>

export function addressOf(kind: string, id: string): string {
  return `${env().baseUrl}/scim/v2/${kind}/${encodeURIComponent(id)}`
}

export function serializeUser(row: UserRow): User {
  const { id, email, name, externalId, givenName, familyName, disabledAt, groups } = row
  const user = {
    schemas: [shapes.USER],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: email,
    displayName: name,
    name: {
      formatted: name,
      ...(givenName === null ? {} : { givenName }),
      ...(familyName === null ? {} : { familyName }),
    },
    emails: [{ value: email, type: 'work', primary: true }],
    active: disabledAt === null,
    groups: groups.map((group) => ({ ...group, $ref: addressOf('Groups', group.value), type: 'direct' })),
  }
  return { ...user, meta: metaOf('User', row, user) }
}

export function serializeGroup(row: GroupRow, members: readonly { id: string; name: string }[]): Group {
  const { id, displayName, externalId } = row
  const group = {
    schemas: [shapes.GROUP],
    id,
    ...(externalId === null ? {} : { externalId }),
    displayName,
    members: members.map(({ id: value, name: display }) => ({
      value,
      display,
      $ref: addressOf('Users', value),
      type: 'User',
    })),
  }
  return { ...group, meta: metaOf('Group', row, group) }
}

function metaOf(
  resourceType: 'User' | 'Group',
  { id, createdAt }: { id: string; createdAt: Date },
  resource: object,
) {
  return {
    resourceType,
    created: createdAt.toISOString(),
    location: addressOf(`${resourceType}s`, id),
    // The version changes with every attribute.
    version: `W/"${hash('sha256', JSON.stringify(resource), 'base64url').slice(0, 16)}"`,
  }
}

/** Checks the If-Match header. @throws Problem `member_changed` (412) for another version */
export function checkVersion({ meta }: User | Group, ifMatch: string | undefined): void {
  const plain = (tag: string) => tag.trim().replace(/^W\//, '')
  const tags = ifMatch?.split(',').map(plain) ?? ['*']
  if (!tags.includes('*') && !tags.includes(plain(meta?.version ?? '')))
    throw new Problem('member_changed', 'It has changed since you read it.')
}
