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
import * as feeds from '#lib/costs/renewal-feeds/contract.ts'
import * as renewals from '#lib/costs/renewals/contract.ts'
import * as auditEvents from '#lib/identity/audit-events/contract.ts'
import * as assets from '#lib/licenses/assets/contract.ts'
import * as changes from '#lib/licenses/license-changes/contract.ts'
import * as orders from '#lib/licenses/renewal-orders/contract.ts'
import * as needs from '#lib/notifications/needs/contract.ts'
import type { Group } from '#lib/platform/api/openapi/document.ts'
import * as columns from '#lib/workspace/list-columns/contract.ts'
import * as matches from '#lib/workspace/matches/contract.ts'
import * as views from '#lib/workspace/views/contract.ts'

/** Tags of the OpenAPI document for assets, invoices and their history. */
export const billing: readonly Group[] = [
  {
    tag: 'Assets',
    description: 'What is managed for the customer: suites with licenses, cloud platforms, web services.',
    contracts: [
      assets.listAssets,
      assets.exportAssets,
      assets.exportAssetsXlsx,
      assets.readAsset,
      assets.summarizeAssets,
      changes.readFromVendor,
    ],
  },
  {
    tag: 'License changes',
    description: "An asset's total number of licenses, who asked for it, and what became of that.",
    contracts: [
      changes.setQuantity,
      changes.listLicenseChanges,
      changes.readLicenseChange,
      changes.acknowledgeLicenseChange,
    ],
  },
  {
    tag: 'Invoices',
    description: 'What was billed.',
    contracts: [
      invoices.listInvoices,
      invoices.exportInvoices,
      invoices.exportInvoicesXlsx,
      invoices.readInvoice,
      invoices.summarizeInvoices,
    ],
  },
  {
    tag: 'Invoice files',
    description: 'Invoices as PDF.',
    contracts: [files.readInvoiceFile, files.exportInvoiceFiles],
  },
  {
    tag: 'Charges',
    description: 'What the vendor charged, which explains an invoice.',
    contracts: [charges.listCharges, charges.exportCharges, charges.exportChargesXlsx],
  },
  {
    tag: 'Comparisons',
    description: 'Why one invoice is dearer than another, or a month than the one before.',
    contracts: [
      comparisons.compareInvoices,
      comparisons.exportComparison,
      comparisons.exportComparisonXlsx,
      explanations.explainMonth,
      explanations.exportExplanation,
      explanations.exportExplanationXlsx,
      products.readBilledProducts,
    ],
  },
  {
    tag: 'Payments',
    description: 'What was paid, and which invoices that settles.',
    contracts: [payments.listPayments],
  },
  {
    tag: 'Statements',
    description: 'What is open, and for how long.',
    contracts: [
      statements.readStatement,
      statements.exportStatement,
      statements.exportStatementXlsx,
      accounts.readAccount,
      accounts.exportAccount,
      accounts.exportAccountXlsx,
      accounts.exportAccountPdf,
    ],
  },
  {
    tag: 'Posting details',
    description: 'What the customer has carried onto its next invoices, so that they can be posted.',
    contracts: [
      posting.listBillingProfiles,
      posting.readBillingProfile,
      posting.setProfilePosting,
      posting.readAssetPosting,
      posting.setAssetPosting,
    ],
  },
  {
    tag: 'What needs you',
    description: 'What somebody has to see to, by their roles, and a mail of it.',
    contracts: [
      needs.listNeeds,
      needs.dismissNeed,
      needs.restoreNeed,
      needs.readNeedsMail,
      needs.setNeedsMail,
    ],
  },
  {
    tag: 'Renewals',
    description:
      'Commitments that end in the next twelve months, a calendar of them, and what is ordered for the next term.',
    contracts: [
      orders.readRenewal,
      orders.orderRenewal,
      orders.withdrawRenewal,
      renewals.listRenewals,
      renewals.exportRenewals,
      renewals.exportRenewalsXlsx,
      feeds.readRenewalFeed,
      feeds.makeRenewalFeed,
      feeds.revokeRenewalFeed,
    ],
  },
  {
    tag: 'Views',
    description: 'Names for what lists show, and the columns that a member sees in them.',
    contracts: [
      views.listViews,
      views.createView,
      views.changeView,
      views.removeView,
      columns.readListColumns,
      columns.setListColumns,
    ],
  },
  {
    tag: 'Search',
    description: 'One search over everything that the caller may see.',
    contracts: [matches.listMatches],
  },
  {
    tag: 'History',
    description: 'Who did what, when and from where.',
    contracts: [
      auditEvents.listAuditEvents,
      auditEvents.exportAuditEvents,
      auditEvents.exportAuditEventsXlsx,
    ],
  },
]
