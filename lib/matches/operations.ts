import 'server-only'
import { may } from '#lib/access/rules.ts'
import { operation } from '#lib/api/operation.ts'
import { listAssets } from '#lib/assets/store.ts'
import { listBillingProfiles } from '#lib/billing-profiles/store.ts'
import { readScope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { findInvoices } from '#lib/invoices/search/find.ts'
import { serializeInvoice } from '#lib/invoices/serialize.ts'
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
