import 'server-only'
import { findInvoices } from '#lib/billing/invoices/search.ts'
import { serializeInvoice } from '#lib/billing/invoices/serialize.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { listAssets } from '#lib/licenses/assets/store.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { env } from '#lib/platform/runtime/env.ts'
import * as contract from './contract.ts'
import { hasName } from './rules.ts'
import { serializeAsset } from './serialize.ts'

const { MOST } = contract

export const listMatches = operation(contract.listMatches, async (caller, { query: { search } }) => {
  const { customerId, billingProfiles: own } = caller
  const { baseUrl } = env()
  const seesInvoices = may(caller, 'invoice-viewer')
  const [assets, invoices, profiles] = await readScope(
    caller,
    async (tx) => [
      may(caller, 'licenses-manager') ? await listAssets(tx, customerId, { search }, MOST) : [],
      seesInvoices ? await findInvoices(tx, caller, { search }, MOST, {}) : [],
      seesInvoices ? await listBillingProfiles(tx, customerId) : [],
    ],
    { mayBeOld: true },
  )
  return {
    body: {
      assets: assets.map(({ asset }) => serializeAsset(asset)),
      invoices: invoices.map((row) => serializeInvoice(row, baseUrl)),
      billingProfiles: profiles
        .filter(({ id, name }) => own.includes(id) && hasName(name, search))
        .slice(0, MOST)
        .map(({ id, name }) => ({ id, name })),
    },
  }
})
