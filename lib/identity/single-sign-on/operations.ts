import 'server-only'
import * as store from '#lib/identity/access/sign-on/providers.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import * as contract from './contract.ts'
import { checkRoom, duplicate, tell } from './deeds.ts'
import { checkIssuer } from './discovery.ts'
import { addDomain, checkDomain, dropDomain } from './domains.ts'
import { changeWaysIn, checkFresh } from './may-set.ts'
import { keptOf, takeAway, toldOf } from './providers.ts'
import { readAll } from './serialize.ts'
import { checkWayIn, isOpenedBySignOn, lockProviders, providerIn } from './ways-in.ts'

export const readSignOn = operation(contract.readSignOn, async (caller) => ({
  body: await readScope(caller, (tx) => readAll(tx, caller.customerId)),
}))

export const addIdentityProvider = operation(
  contract.addIdentityProvider,
  async (caller, { body: { name, ...given } }, { requestId }) => {
    await checkFresh(caller)
    await checkIssuer(given.issuer)
    const add = changeWaysIn(caller, async (tx) => {
      const { customerId } = caller
      checkRoom(await lockProviders(tx, customerId))
      const { issuer, clientId, clientSecret } = given
      const kept = await keptOf(tx, customerId, given)
      const scopes = kept.scopes ?? ['openid', 'email', 'profile']
      const id = await store.addProvider(tx, customerId, {
        ...kept,
        name,
        issuer,
        clientId,
        clientSecret,
        scopes,
      })
      const details = { name, ...toldOf({ ...kept, scopes }) }
      await tell(tx, caller, { action: 'identity-provider.set', subject: id, requestId, details })
      return providerOf(tx, caller, id)
    })
    return { body: await add.catch(duplicate('provider_exists', `There is a provider “${name}” already.`)) }
  },
)

export const changeIdentityProvider = operation(
  contract.changeIdentityProvider,
  async (caller, { params: { provider_id: id }, body }, { requestId }) => {
    await checkFresh(caller)
    const { customerId } = caller
    const known = await readScope(caller, (tx) => store.listProviders(tx, customerId))
    const { issuer } = providerIn(known, id)
    if (body.issuer !== undefined && body.issuer !== issuer) await checkIssuer(body.issuer)
    const change = changeWaysIn(caller, async (tx) => {
      const before = providerIn(await lockProviders(tx, customerId), id)
      const kept = await keptOf(tx, customerId, body)
      await store.changeProvider(tx, customerId, before, kept)
      // Whether it still lets anybody in as it is now, nobody has tried.
      await checkWayIn(tx, customerId, id)
      const details = { name: before.name, ...toldOf(kept) }
      await tell(tx, caller, { action: 'identity-provider.set', subject: id, requestId, details })
      return providerOf(tx, caller, id)
    })
    return { body: await change }
  },
)

export const removeIdentityProvider = operation(
  contract.removeIdentityProvider,
  async (caller, { params: { provider_id: id } }, { requestId }) => {
    const { customerId } = caller
    await changeWaysIn(caller, async (tx) => {
      const { name, issuer } = providerIn(await lockProviders(tx, customerId), id)
      await takeAway(tx, customerId, id)
      await checkWayIn(tx, customerId)
      const event = { action: 'identity-provider.removed', subject: id, requestId, details: { name, issuer } }
      await tell(tx, caller, event)
    })
    return { body: { removed: true as const } }
  },
)

export const addSignOnDomain = operation(
  contract.addSignOnDomain,
  async (caller, { body }, { requestId }) => ({ body: await addDomain(caller, body, requestId) }),
)

export const checkSignOnDomain = operation(
  contract.checkSignOnDomain,
  async (caller, { params }, { requestId }) => ({
    body: await checkDomain(caller, params.domain, requestId),
  }),
)

export const removeSignOnDomain = operation(
  contract.removeSignOnDomain,
  async (caller, { params }, { requestId }) => {
    await dropDomain(caller, params.domain, requestId)
    return { body: { removed: true as const } }
  },
)

export const setPasswordSignIn = operation(
  contract.setPasswordSignIn,
  async (caller, { body: { allowed } }, { requestId }) => {
    const { customerId } = caller
    const body = await changeWaysIn(caller, async (tx) => {
      await lockProviders(tx, customerId)
      if ((await store.isSignOnOnly(tx, customerId)) === allowed) {
        if (!allowed && !(await isOpenedBySignOn(tx, caller)))
          throw new Problem(
            'last_way_in',
            'Sign out, sign in by single sign-on, and turn passwords off then: so it is certain that you get in again.',
          )
        await store.setSignOnOnly(tx, customerId, !allowed)
        await checkWayIn(tx, customerId)
        const action = allowed ? 'customer.passwords-allowed' : 'customer.passwords-refused'
        await tell(tx, caller, { action, subject: customerId, requestId })
      }
      return readAll(tx, customerId)
    })
    return { body }
  },
)

async function providerOf(tx: Transaction, { customerId }: Caller, id: string): Promise<contract.Provider> {
  const found = (await readAll(tx, customerId)).providers.find((one) => one.id === id)
  if (!found) throw new Error('The identity provider that was just set is not there.')
  return found
}
