// The invoices that the examples of several contracts name.

/** Past due, of September 2025. */
export const septemberInvoice = {
  id: 'IN-2025-0917',
  number: 'IN-2025-0917',
  issuer: 'Reseller',
  documentState: 'issued',
  billingProfileId: 'default',
  invoiceDate: 1759190400000,
  platform: 'cloud-platform',
  dueDate: 1761782400000,
  status: 'PAST DUE',
  totalAmount: 1250,
  balanceAmount: 1250,
  currency: 'USD',
  url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file',
} as const

/** Paid, of October 2025: the next one on the same platform. */
export const octoberInvoice = {
  id: 'IN-2025-1017',
  number: 'IN-2025-1017',
  issuer: 'Reseller',
  documentState: 'issued',
  billingProfileId: 'default',
  invoiceDate: 1761868800000,
  platform: 'cloud-platform',
  dueDate: 1764460800000,
  status: 'PAID',
  totalAmount: 1400,
  balanceAmount: 0,
  currency: 'USD',
  url: 'https://console.example.com/billing/v1/invoices/IN-2025-1017/file',
} as const
