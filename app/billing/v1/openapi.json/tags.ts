import * as accounts from '#lib/billing/account-statements/contract.ts'
import * as charges from '#lib/billing/charges/contract.ts'
import * as files from '#lib/billing/invoice-files/contract.ts'
import * as invoices from '#lib/billing/invoices/contract.ts'
import * as payments from '#lib/billing/payments/contract.ts'
import * as posting from '#lib/billing/posting-details/contract.ts'
import * as statements from '#lib/billing/statements/contract.ts'
import * as products from '#lib/costs/billed-products/contract.ts'
import * as comparisons from '#lib/costs/comparisons/contract.ts'
import * as explanations from '#lib/costs/explanations/contract.ts'
import * as prices from '#lib/costs/license-prices/contract.ts'
import * as feeds from '#lib/costs/renewal-feeds/contract.ts'
import * as renewals from '#lib/costs/renewals/contract.ts'
import * as auditEvents from '#lib/identity/audit-events/contract.ts'
import * as directories from '#lib/identity/directories/contract.ts'
import * as keys from '#lib/identity/keys/contract.ts'
import * as members from '#lib/identity/members/contract.ts'
import * as factors from '#lib/identity/second-factors/contract.ts'
import * as sessions from '#lib/identity/sessions/contract.ts'
import * as signOn from '#lib/identity/single-sign-on/contract.ts'
import * as assets from '#lib/licenses/assets/contract.ts'
import * as changes from '#lib/licenses/license-changes/contract.ts'
import * as orders from '#lib/licenses/renewal-orders/contract.ts'
import * as needs from '#lib/notifications/needs/contract.ts'
import * as recipients from '#lib/notifications/recipients/contract.ts'
import * as webhooks from '#lib/notifications/webhooks/contract.ts'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import type { Group } from '#lib/platform/api/openapi/document.ts'
import * as columns from '#lib/workspace/list-columns/contract.ts'
import * as matches from '#lib/workspace/matches/contract.ts'
import * as views from '#lib/workspace/views/contract.ts'

/** Tags of the OpenAPI document, each with all contracts of its modules, as the routes mount them. */
export const TAGS: readonly Group[] = [
  {
    tag: 'Assets',
    description: 'What is managed for the customer: suites with licenses, cloud platforms, web services.',
    contracts: [...contractsOf(assets), changes.readFromVendor],
  },
  {
    tag: 'License changes',
    description: "An asset's total number of licenses, who asked for it, and what became of that.",
    contracts: contractsOf(changes).filter((one) => one !== changes.readFromVendor),
  },
  {
    tag: 'Invoices',
    description: 'What was billed.',
    contracts: contractsOf(invoices),
  },
  {
    tag: 'Invoice files',
    description: 'Invoices as PDF.',
    contracts: contractsOf(files),
  },
  {
    tag: 'Charges',
    description: 'What the vendor charged, which explains an invoice.',
    contracts: contractsOf(charges),
  },
  {
    tag: 'Comparisons',
    description: 'Why one invoice costs more than another, or a month than the previous one.',
    contracts: contractsOf(comparisons, explanations, products),
  },
  {
    tag: 'Payments',
    description: 'What was paid, and which invoices that settles.',
    contracts: contractsOf(payments),
  },
  {
    tag: 'Statements',
    description: 'Open balance by age.',
    contracts: [...contractsOf(statements), ...contractsOf(accounts)],
  },
  {
    tag: 'Accounting details',
    description: 'What the customer has carried onto its next invoices, so that they can be posted.',
    contracts: contractsOf(posting),
  },
  {
    tag: 'Invoice emails',
    description: 'Addresses that are mailed new invoices and reminders of a billing profile.',
    contracts: contractsOf(recipients),
  },
  {
    tag: 'Needs attention',
    description: 'What needs attention, based on roles, and the weekly email.',
    contracts: contractsOf(needs),
  },
  {
    tag: 'Renewals',
    description:
      'Commitments that end in the next twelve months, a calendar of them, and what is ordered for the next term.',
    contracts: contractsOf(orders, renewals, feeds),
  },
  {
    tag: 'Views',
    description: 'Names for what lists show, and the columns that a member sees in them.',
    contracts: contractsOf(views, columns),
  },
  {
    tag: 'Search',
    description: 'One search over everything that the caller may see.',
    contracts: contractsOf(matches),
  },
  {
    tag: 'History',
    description: 'Who did what, when and from where.',
    contracts: contractsOf(auditEvents),
  },
  {
    tag: 'Members',
    description: 'Who may sign in to the console, what they may do, and what they see.',
    contracts: contractsOf(members, prices, factors),
  },
  {
    tag: 'Single sign-on',
    description: 'Identity providers at which members sign in, domains of their addresses, and passwords.',
    contracts: contractsOf(signOn),
  },
  {
    tag: 'Directory',
    description: 'What lets a directory manage members by SCIM 2.0, and what its groups give.',
    contracts: contractsOf(directories),
  },
  {
    tag: 'Webhooks',
    description: 'Addresses to which events are sent, their deliveries, and their secrets.',
    contracts: contractsOf(webhooks),
  },
  {
    tag: 'Keys',
    description: 'API keys: what each opens, who uses it, and how another one comes into its place.',
    contracts: contractsOf(keys),
  },
  {
    tag: 'Access',
    description: 'Who is calling, and who is signed in to the console.',
    contracts: [keys.validateKey, ...contractsOf(sessions)],
  },
]

/** Returns the contracts of these modules with paths below /billing/v1. */
function contractsOf(...modules: readonly object[]): AnyContract[] {
  return modules.flatMap((module) => Object.values(module)).filter(isDescribed)
}

function isDescribed(value: unknown): value is AnyContract {
  const { name, path } = Object(value) as Partial<AnyContract>
  return typeof name === 'string' && typeof path === 'string' && path.startsWith('/billing/v1/')
}
