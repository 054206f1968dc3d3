import 'server-only'
import { listInvoices } from '#lib/billing/invoices/contract.ts'
import { listAuditEvents } from '#lib/identity/audit-events/contract.ts'
import { listAssets } from '#lib/licenses/assets/contract.ts'
import { listLicenseChanges } from '#lib/licenses/license-changes/contract.ts'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { readInput } from '#lib/platform/api/request.ts'
import { NO_PART, type ViewPath } from './rules.ts'

/** The call that answers each screen: its contract says what the screen's address may ask for. */
const CONTRACTS: Record<ViewPath, AnyContract> = {
  '/assets': listAssets,
  '/invoices': listInvoices,
  '/activity': listLicenseChanges,
  '/activity/events': listAuditEvents,
}

/**
 * What a screen shows, as its address is kept: each parameter once, and no page.
 * @throws Problem `invalid_request` where the screen itself would not understand it
 */
export async function readQuery(path: ViewPath, given: string): Promise<string> {
  const contract = CONTRACTS[path]
  const parts = new URLSearchParams(given)
  for (const name of parts.keys()) {
    if (!Object.hasOwn(contract.query.shape, name))
      throw invalid(`has a parameter that ${path} does not know: ${name}`)
    if (parts.getAll(name).length > 1) throw invalid(`has ${name} more than once`)
  }
  for (const name of NO_PART) parts.delete(name)
  // `:` and `|` are the filter's grammar: kept, so that the address can be read.
  const search = parts.toString().replaceAll('%3A', ':').replaceAll('%7C', '|')
  const request = {
    method: 'GET',
    path: contract.path,
    search,
    headers: new Headers(),
    read: async () => new Uint8Array(),
  }
  await readInput(contract, request).catch((error) => {
    throw error instanceof Problem ? invalid(error.message) : error
  })
  return search
}

function invalid(detail: string): Problem {
  return new Problem('invalid_request', `query: ${detail}`, { errors: [{ pointer: '/query', detail }] })
}
