import 'server-only'
import { findInvoices } from '#lib/billing/invoices/search.ts'
import { serializeInvoice } from '#lib/billing/invoices/serialize.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { type AssetRow, listAssets } from '#lib/licenses/assets/store.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { Matches } from './contract.ts'
import * as contract from './contract.ts'

const { MAX_MATCHES } = contract

export const listMatches = operation(contract.listMatches, async (caller, { query: { search } }) => {
  const { customerId, billingProfiles: visibleProfiles } = caller
  const { baseUrl } = env()
  const seesInvoices = may(caller, 'invoice-viewer')
  const [assets, invoices, profiles] = await readScope(
    caller,
    async (tx) => [
      may(caller, 'licenses-manager') ? await listAssets(tx, customerId, { search }, MAX_MATCHES) : [],
      seesInvoices ? await findInvoices(tx, caller, { search }, { limit: MAX_MATCHES }) : [],
      seesInvoices ? await listBillingProfiles(tx, customerId) : [],
    ],
    { mayBeOld: true },
  )
  return {
    body: {
      assets: assets.map(({ asset }) => serializeAsset(asset)),
      invoices: invoices.map((row) => serializeInvoice(row, baseUrl)),
      billingProfiles: profiles
        .filter(({ id, name }) => visibleProfiles.includes(id) && hasName(name, search))
        .slice(0, MAX_MATCHES)
        .map(({ id, name }) => ({ id, name })),
    },
  }
})

type MatchingAsset = Matches['assets'][number]

function serializeAsset({ id, type, name, customerDomain, seatsPurchased }: AssetRow): MatchingAsset {
  return {
    id,
    type,
    name,
    ...(customerDomain ? { customerDomain } : {}),
    ...(seatsPurchased === null ? {} : { quantity: seatsPurchased }),
  }
}

/** Returns whether a company's name contains the search text, ignoring letter case. */
export function hasName(name: string, search: string): boolean {
  return normalized(name).includes(normalized(search))
}

function normalized(text: string): string {
  return text.normalize().toLocaleLowerCase('en')
}
