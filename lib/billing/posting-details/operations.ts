import 'server-only'
import {
  type BillingProfile,
  listBillingProfiles as listProfilesOf,
} from '#lib/identity/customers/billing-profiles.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import type { AssetPosting, BillingProfile as ProfileAnswer } from './contract.ts'
import * as contract from './contract.ts'
import { type AssetPostingDetails, changedBy } from './rules.ts'
import type { ProfileRow } from './store.ts'
import * as store from './store.ts'

export const listBillingProfiles = operation(contract.listBillingProfiles, async (caller) => {
  const rows = await readScope(caller, (tx) =>
    store.listProfiles(tx, caller.customerId, caller.billingProfiles),
  )
  return { body: { billingProfiles: rows.map(serializeProfile), rowCount: rows.length } }
})

export const readBillingProfile = operation(contract.readBillingProfile, async (caller, { params }) => {
  const id = seen(caller, params.billing_profile_id)
  const [row] = await readScope(caller, (tx) => store.listProfiles(tx, caller.customerId, [id]))
  if (!row) throw new Problem('not_found')
  return { body: serializeProfile(row) }
})

export const setProfilePosting = operation(
  contract.setProfilePosting,
  async (caller, { params, body }, { requestId }) => {
    const { customerId } = caller
    const id = seen(caller, params.billing_profile_id)
    const row = await write(caller, async (tx) => {
      const before = await store.lockProfile(tx, customerId, id)
      if (!before) throw new Problem('not_found')
      const { purchaseOrder, buyerReference, costCenter } = before
      const { after, details } = changedBy({ purchaseOrder, buyerReference, costCenter }, body)
      if (details) {
        await store.setProfile(tx, customerId, id, after)
        const event = {
          action: 'billing-profile.posting-set',
          subject: id,
          actor: actorOf(caller),
          requestId,
        }
        await recordAudit(tx, customerId, { ...event, details })
      }
      return { ...before, ...after }
    })
    return { body: serializeProfile(row) }
  },
)

export const readAssetPosting = operation(contract.readAssetPosting, async (caller, { params }) => {
  const row = await readScope(caller, (tx) => store.readAsset(tx, caller.customerId, params.asset_id))
  if (!row) throw new Problem('not_found')
  return { body: serializeDetails(row) }
})

export const setAssetPosting = operation(
  contract.setAssetPosting,
  async (caller, { params, body }, { requestId }) => {
    checkPermission(caller, 'licenses-manager')
    const { customerId } = caller
    const id = params.asset_id
    const row = await write(caller, async (tx) => {
      const before = await store.lockAsset(tx, customerId, id)
      if (!before) throw new Problem('not_found')
      const { after, details } = changedBy(before, body)
      if (details) {
        await store.setAsset(tx, customerId, id, after)
        const event = { action: 'asset.posting-set', subject: id, actor: actorOf(caller), requestId }
        await recordAudit(tx, customerId, { ...event, details })
      }
      return after
    })
    return { body: serializeDetails(row) }
  },
)

/** @throws Problem `not_found` for a billing profile that is missing or hidden from the caller */
function seen(caller: Caller, id: string): string {
  if (!caller.billingProfiles.includes(id)) throw new Problem('not_found')
  return id
}

/** Waits up to a second for a row lock, such as the asset's lock during a license change. */
function write<T>(caller: Caller, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return scope(caller, work).catch((error) => {
    if (errorCode(error) !== '55P03') throw error
    throw new Problem('service_unavailable', 'Someone else is changing it. Please try again.', {
      headers: { 'Retry-After': '1' },
    })
  })
}

/** Returns the billing profiles visible to the caller, by id. */
export async function listCallerProfiles(caller: Caller): Promise<BillingProfile[]> {
  const all = await readScope(caller, (tx) => listProfilesOf(tx, caller.customerId))
  return all.filter((profile) => caller.billingProfiles.includes(profile.id))
}

function serializeProfile({ id, name, country, buyerReference, ...details }: ProfileRow): ProfileAnswer {
  return {
    id,
    name,
    ...(country === null ? {} : { country }),
    ...serializeDetails(details),
    ...(buyerReference === null ? {} : { buyerReference }),
  }
}

function serializeDetails({ purchaseOrder, costCenter }: AssetPostingDetails): AssetPosting {
  return {
    ...(purchaseOrder === null ? {} : { purchaseOrder }),
    ...(costCenter === null ? {} : { costCenter }),
  }
}
