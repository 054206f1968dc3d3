import * as access from '#lib/access/contract.ts'
import { route } from '#lib/api/endpoint.ts'
import { openApiOperation } from '#lib/api/openapi/document.ts'
import * as assets from '#lib/assets/contract.ts'
import * as auditEvents from '#lib/audit-events/contract.ts'
import * as comparisons from '#lib/comparisons/contract.ts'
import * as directories from '#lib/directories/contract.ts'
import * as explanations from '#lib/explanations/contract.ts'
import * as files from '#lib/invoice-files/contract.ts'
import * as invoices from '#lib/invoices/contract.ts'
import * as keys from '#lib/keys/contract.ts'
import * as changes from '#lib/license-changes/contract.ts'
import * as prices from '#lib/license-prices/contract.ts'
import * as members from '#lib/members/contract.ts'
import * as needs from '#lib/needs/contract.ts'
import * as posting from '#lib/posting-details/contract.ts'
import * as factors from '#lib/second-factors/contract.ts'
import * as sessions from '#lib/sessions/contract.ts'
import * as signOn from '#lib/single-sign-on/contract.ts'
import * as statements from '#lib/statements/contract.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  openApiOperation([
    {
      tag: 'What needs you',
      description: 'What somebody has to see to, by their roles, and a mail of it.',
      contracts: Object.values(needs),
    },
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
      tag: 'Comparisons',
      description: 'Why one invoice is dearer than another, or a month than the one before.',
      contracts: [
        comparisons.compareInvoices,
        comparisons.exportComparison,
        comparisons.exportComparisonXlsx,
        explanations.explainMonth,
        explanations.exportExplanation,
        explanations.exportExplanationXlsx,
      ],
    },
    {
      tag: 'Statements',
      description: 'What is open, and for how long.',
      contracts: [statements.readStatement, statements.exportStatement, statements.exportStatementXlsx],
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
      tag: 'History',
      description: 'Who did what, when and from where.',
      contracts: [
        auditEvents.listAuditEvents,
        auditEvents.exportAuditEvents,
        auditEvents.exportAuditEventsXlsx,
      ],
    },
    {
      tag: 'Members',
      description: 'Who may sign in to the console, what they may do, and what they see.',
      contracts: [
        members.listMembers,
        members.inviteMember,
        members.readMember,
        members.changeMember,
        members.makeMemberLink,
        members.withdrawInvitation,
        ...Object.values(prices),
        factors.readFactorDemand,
        factors.demandFactor,
        factors.resetFactors,
      ],
    },
    {
      tag: 'Single sign-on',
      description: 'Identity providers at which members sign in, domains of their addresses, and passwords.',
      contracts: Object.values(signOn),
    },
    {
      tag: 'Directory',
      description: 'What lets a directory manage members by SCIM 2.0, and what its groups give.',
      contracts: [
        directories.readDirectory,
        directories.issueDirectoryToken,
        directories.revokeDirectoryToken,
        directories.mapDirectoryGroup,
        directories.unmapDirectoryGroup,
      ],
    },
    {
      tag: 'Keys',
      description: 'API keys: what each opens, who uses it, and how another one comes into its place.',
      contracts: [keys.listKeys, keys.issueKey, keys.readKey, keys.renameKey, keys.rotateKey, keys.revokeKey],
    },
    {
      tag: 'Access',
      description: 'Who is calling, and who is signed in to the console.',
      contracts: [access.validateKey, sessions.listSessions, sessions.endSession],
    },
  ]),
)
