import 'server-only'
import * as accounts from '#lib/billing/account-statements/operations.ts'
import * as charges from '#lib/billing/charges/operations.ts'
import * as invoices from '#lib/billing/invoices/operations.ts'
import * as payments from '#lib/billing/payments/operations.ts'
import * as posting from '#lib/billing/posting-details/operations.ts'
import * as openItems from '#lib/billing/statements/operations.ts'
import * as products from '#lib/costs/billed-products/operations.ts'
import * as comparisons from '#lib/costs/comparisons/operations.ts'
import * as explanations from '#lib/costs/explanations/operations.ts'
import * as prices from '#lib/costs/license-prices/operations.ts'
import * as renewals from '#lib/costs/renewals/operations.ts'
import * as auditEvents from '#lib/identity/audit-events/operations.ts'
import * as directories from '#lib/identity/directories/operations.ts'
import * as keys from '#lib/identity/keys/operations.ts'
import * as members from '#lib/identity/members/operations.ts'
import { readFactorDemand } from '#lib/identity/second-factors/operations.ts'
import * as sessions from '#lib/identity/sessions/operations.ts'
import * as signOn from '#lib/identity/single-sign-on/operations.ts'
import * as assets from '#lib/licenses/assets/operations.ts'
import * as changes from '#lib/licenses/license-changes/operations.ts'
import * as renewalOrders from '#lib/licenses/renewal-orders/operations.ts'
import * as needs from '#lib/notifications/needs/operations.ts'
import * as recipients from '#lib/notifications/recipients/operations.ts'
import * as webhooks from '#lib/notifications/webhooks/operations.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { changeTools } from '#lib/server/mcp/changes.ts'
import { assistantsEndpoint, toolServer } from '#lib/server/mcp/endpoint.ts'
import { readTools } from '#lib/server/mcp/tools.ts'
import * as matches from '#lib/workspace/matches/operations.ts'

const MODULES: readonly object[] = [
  ...[assets, changes, renewalOrders, renewals],
  ...[invoices, charges, comparisons, explanations, products, payments, openItems, accounts, posting],
  ...[needs, matches, auditEvents, members, prices, { readFactorDemand }, recipients],
  ...[signOn, directories, webhooks, keys, sessions],
]

/** Tools of assistants: reads of the API that a key may call, and changes that a person confirms. */
export const TOOLS = [
  ...changeTools({ ...changes, ...renewalOrders, readAssetItem: assets.readAssetItem }),
  ...readTools(MODULES.flatMap(operationsOf)),
]

export const respond = assistantsEndpoint((here) => toolServer(TOOLS, here))

function operationsOf(module: object): AnyOperation[] {
  return Object.values(module).filter((value) => typeof value === 'function' && 'contract' in value)
}
