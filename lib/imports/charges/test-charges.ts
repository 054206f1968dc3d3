// Rows of both datasets for tests, made up by the published columns: no vendor's sample of Invoice Detail is at hand.

const DETAIL = {
  InvoiceIssuerName: 'Nimbus Cloud',
  InvoiceId: 'N-1',
  InvoiceIssueStatus: 'Issued',
  InvoiceIssueDate: '2026-10-03',
  PaymentDueDate: '2026-11-02',
  InvoiceDetailId: 'D-1',
  InvoiceDetailDescription: 'Compute',
  BillingAccountId: 'A-1',
  BillingPeriodStart: '2026-09-01',
  BillingPeriodEnd: '2026-10-01',
  ChargeCategory: 'Usage',
  BilledCost: '10',
  BillingCurrency: 'USD',
}
const CHARGE = {
  InvoiceIssuerName: 'Nimbus Cloud',
  InvoiceId: 'N-1',
  InvoiceDetailId: 'D-1',
  BillingAccountId: 'A-1',
  SubAccountId: 'web',
  BillingPeriodStart: '2026-09-01',
  BillingPeriodEnd: '2026-10-01',
  ChargePeriodStart: '2026-09-03',
  ChargePeriodEnd: '2026-09-04',
  ServiceProviderName: 'Nimbus Cloud',
  ServiceName: 'Compute',
  ChargeDescription: 'n2-standard-4',
  ChargeCategory: 'Usage',
  ChargeClass: '',
  BilledCost: '10',
  BillingCurrency: 'USD',
  Tags: '',
}
export type DetailRow = Partial<typeof DETAIL>
export type ChargeRow = Partial<typeof CHARGE>

const csv = (row: object, rows: readonly object[]) =>
  [Object.keys(row), ...rows.map((overrides) => Object.values({ ...row, ...overrides }))]
    .map((cells) => cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(','))
    .map((line) => `${line}\n`)
    .join('')

/** Returns an Invoice Detail file, and a Cost and Usage file, with the rows. */
export const detailsCsv = (rows: readonly DetailRow[]): string => csv(DETAIL, rows)
export const chargesCsv = (rows: readonly ChargeRow[]): string => csv(CHARGE, rows)
