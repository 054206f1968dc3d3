import 'server-only'
import { requirePerson, scopeOfAuthority } from '#lib/identity/access/authority.ts'
import { checkSeesAll } from '#lib/identity/members/access.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { newApiKey } from '#lib/platform/caller/credentials.ts'
import { type Caller, maySeeOthers } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { pageOf, readPageToken, TimeKey } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { idsOfChain, revokeFrom } from './chains.ts'
import type { Key } from './contract.ts'
import * as contract from './contract.ts'
import { issue, rotate } from './issue.ts'
import { endLeakedKeys } from './leaks.ts'
import { callerKeyScope, keyScopeOf } from './rules.ts'
import type { KeyRow } from './store.ts'
import * as store from './store.ts'

/** Responses with a key must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' }

export const validateKey = operation(contract.validateKey, async (caller) => ({
  body: { domain: caller.customerDomain, email: caller.email },
}))

export const listKeys = operation(contract.listKeys, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, whose = 'own', state } = query
  if (whose === 'all' && !maySeeOthers(caller))
    throw new Problem('permission_denied', 'Only Admins see the keys of others.')
  const filters = [caller.customerId, 'keys', whose, caller.via, caller.id, state] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, TimeKey) : undefined
  const selection = { keyScope: whose === 'all' ? keyScopeOf(caller) : callerKeyScope(caller), state }
  const rows = await readScope(caller, (tx) =>
    store.listKeys(tx, caller.customerId, selection, { limit: maxResults + 1, cursor }),
  )
  const { rows: pageRows, ...links } = pageOf(rows, {
    size: maxResults,
    cursor,
    keyOf: store.keyOfKey,
    list: filters,
  })
  const keys = pageRows.map((row) => serializeKey(row, caller))
  return { body: { ...links, keys, rowCount: keys.length } }
})

export const readKey = operation(contract.readKey, async (caller, { params }) => {
  const key = await readScope(caller, (tx) => existing(tx, caller, params.key_id))
  return { body: serializeKey(key, caller) }
})

export const issueKey = operation(contract.issueKey, async (caller, { body }, { requestId }) => {
  requirePerson(caller, 'Creating a key')
  const secret = newApiKey()
  const key = await scopeOfAuthority(caller, async (tx, now) => {
    const id = await issue(tx, now, body, { secret, requestId })
    return serializeKey(await existing(tx, now, id), now)
  })
  return { body: { key, secret }, headers: NO_STORE }
})

export const renameKey = operation(contract.renameKey, async (caller, { params, body }, { requestId }) => {
  const rename = async (tx: Transaction, now: Caller) => {
    const { customerId } = now
    const key = await existing(tx, now, params.key_id)
    await checkMayChange(tx, now, key, 'To rename a key of the company')
    const { id, name: from } = key
    if (from !== body.name) {
      await store.renameKey(tx, customerId, id, body.name)
      const event = { action: 'key.renamed', subject: id, actor: actorOf(now), requestId }
      await recordAudit(tx, customerId, { ...event, details: { from, to: body.name } })
    }
    return existing(tx, now, id)
  }
  const key = await scopeOfAuthority(caller, rename, { keys: [params.key_id] })
  return { body: serializeKey(key, caller) }
})

export const rotateKey = operation(contract.rotateKey, async (caller, { params, body }, { requestId }) => {
  const secret = newApiKey()
  const make = async (tx: Transaction, now: Caller) => {
    const before = await existing(tx, now, params.key_id)
    const id = await rotate(tx, now, before, { secret, overlap: body.overlap, requestId })
    // A key that rotates itself gets its successor in this response only.
    const after = await store.readKey(tx, now.customerId, 'all', id)
    return { next: after ?? before, former: await existing(tx, now, before.id) }
  }
  const { next, former } = await scopeOfAuthority(caller, make, { keys: [params.key_id] })
  const key = serializeKey(next, caller)
  return { body: { key, secret, former: serializeKey(former, caller) }, headers: NO_STORE }
})

export const revokeKey = operation(contract.revokeKey, async (caller, input, { requestId }) => {
  const { params, query } = input
  const following = query.following === 'true'
  const revoke = async (tx: Transaction, now: Caller) => {
    const key = await existing(tx, now, params.key_id)
    await checkMayChange(tx, now, key, 'To revoke a key of the company')
    const { id } = key
    const event = { action: 'key.revoked', actor: actorOf(now), requestId } as const
    const follows = (chain: readonly KeyRow[]) => new Set(following ? chain.map((key) => key.id) : [])
    return revokeFrom(tx, now.customerId, id, { ...event, follows, within: keyScopeOf(now) })
  }
  const keys = (tx: Transaction) => idsOfChain(tx, caller.customerId, params.key_id)
  const { goesOn } = await scopeOfAuthority(caller, revoke, { keys, evenIfClosed: true })
  return { body: { revoked: true as const, ...(goesOn ? { goesOn } : {}) } }
})

/** Revokes leaked keys that scanners and finders report. */
export const revokeLeakedKeys = operation(contract.revokeLeakedKeys, async (_, { body }, { requestId }) => {
  await endLeakedKeys(
    body.map(({ token }) => token),
    requestId,
  )
  return { body: { received: body.length } }
})

/** @throws Problem `not_found` for an unknown key, and for one that the caller may not see */
async function existing(tx: Transaction, caller: Caller, id: string): Promise<KeyRow> {
  const key = await store.readKey(tx, caller.customerId, keyScopeOf(caller), id)
  if (!key) throw new Problem('not_found')
  return key
}

/**
 * Checks who changes a key that belongs to the customer: the key itself, or a caller who sees all billing profiles.
 * @throws Problem `permission_denied`
 */
async function checkMayChange(
  tx: Transaction,
  caller: Caller,
  { id, owner }: KeyRow,
  change: string,
): Promise<void> {
  if (owner === 'CUSTOMER' && !(caller.via === 'key' && caller.id === id))
    await checkSeesAll(tx, caller, change)
}

function serializeKey(row: KeyRow, { via, id }: Pick<Caller, 'via' | 'id'>): Key {
  const { issuedBy, issuerName, issuerEmail, billingProfiles, addresses, lastUsedAddress, replacedBy } = row
  return {
    id: row.id,
    name: row.name,
    hint: `${row.prefix}…${row.lastFour}`,
    status: row.status,
    roles: row.roles,
    ...(billingProfiles ? { billingProfiles } : {}),
    owner: row.owner,
    ...(issuedBy ? { issuer: { id: issuedBy, name: issuerName ?? '', email: issuerEmail ?? '' } } : {}),
    ...(addresses ? { addresses } : {}),
    createTime: row.createdAt.getTime(),
    ...timeOf('expireTime', row.expiresAt),
    ...timeOf('revokeTime', row.revokedAt),
    ...timeOf('lastUseTime', row.lastUsedAt),
    ...(lastUsedAddress ? { lastUseAddress: lastUsedAddress } : {}),
    isUnused: row.isUnused,
    ...(replacedBy ? { replacedBy } : {}),
    isCurrent: via === 'key' && row.id === id,
  }
}

function timeOf<Name extends string>(name: Name, at: Date | null): { [N in Name]?: number } {
  return (at ? { [name]: at.getTime() } : {}) as { [N in Name]?: number }
}
