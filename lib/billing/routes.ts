import { routesOf } from '#lib/platform/api/call.ts'

export const invoiceRoutes = routesOf({
  listInvoices: 'GET /billing/v1/invoices',
  exportInvoices: 'GET /billing/v1/invoices.csv',
  exportInvoicesXlsx: 'GET /billing/v1/invoices.xlsx',
  readInvoice: 'GET /billing/v1/invoices/{invoice_id}',
  summarizeInvoices: 'GET /billing/v1/invoice-summary',
})

export const chargeRoutes = routesOf({
  listCharges: 'GET /billing/v1/invoices/{invoice_id}/charges',
  exportCharges: 'GET /billing/v1/invoices/{invoice_id}/charges.csv',
  exportChargesXlsx: 'GET /billing/v1/invoices/{invoice_id}/charges.xlsx',
})

export const fileRoutes = routesOf({
  readInvoiceFile: 'GET /billing/v1/invoices/{invoice_id}/file',
  exportInvoiceFiles: 'GET /billing/v1/invoices.zip',
})

export const paymentRoutes = routesOf({
  listPayments: 'GET /billing/v1/payments',
  exportPayments: 'GET /billing/v1/payments.csv',
  exportPaymentsXlsx: 'GET /billing/v1/payments.xlsx',
})

export const accountRoutes = routesOf({
  readAccount: 'GET /billing/v1/account-statement',
  exportAccount: 'GET /billing/v1/account-statement.csv',
  exportAccountXlsx: 'GET /billing/v1/account-statement.xlsx',
  exportAccountPdf: 'GET /billing/v1/account-statement.pdf',
})

export const statementRoutes = routesOf({
  readStatement: 'GET /billing/v1/statement',
  exportStatement: 'GET /billing/v1/statement.csv',
  exportStatementXlsx: 'GET /billing/v1/statement.xlsx',
  exportStatementPdf: 'GET /billing/v1/statement.pdf',
})

export const postingRoutes = routesOf({
  listBillingProfiles: 'GET /billing/v1/billing-profiles',
  readBillingProfile: 'GET /billing/v1/billing-profiles/{billing_profile_id}',
  setProfilePosting: 'PATCH /billing/v1/billing-profiles/{billing_profile_id}',
  readAssetPosting: 'GET /billing/v1/assets/{asset_id}/posting-details',
  setAssetPosting: 'PATCH /billing/v1/assets/{asset_id}/posting-details',
})
