import type { AssetColumn, InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'

/** What people call a column. */
export const COLUMN_NAMES: { assets: Record<AssetColumn, string>; invoices: Record<InvoiceColumn, string> } =
  {
    assets: {
      name: 'Asset',
      type: 'Type',
      plan: 'Plan',
      renewal: 'Renewal',
      usage: 'Usage',
      created: 'Created',
      licenses: 'Licenses',
    },
    invoices: {
      number: 'Invoice',
      date: 'Date',
      billedTo: 'Billed to',
      issuer: 'Issuer',
      platform: 'Platform',
      due: 'Due',
      status: 'Status',
      total: 'Total',
      balance: 'Balance',
    },
  }
