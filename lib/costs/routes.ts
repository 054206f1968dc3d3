import { routesOf } from '#lib/platform/api/call.ts'

export const productRoutes = routesOf({
  readBilledProducts: 'GET /billing/v1/billed-products',
})

export const comparisonRoutes = routesOf({
  compareInvoices: 'GET /billing/v1/invoice-comparison',
  exportComparison: 'GET /billing/v1/invoice-comparison.csv',
  exportComparisonXlsx: 'GET /billing/v1/invoice-comparison.xlsx',
})

export const explanationRoutes = routesOf({
  explainMonth: 'GET /billing/v1/invoice-explanation',
  exportExplanation: 'GET /billing/v1/invoice-explanation.csv',
  exportExplanationXlsx: 'GET /billing/v1/invoice-explanation.xlsx',
})

export const priceRoutes = routesOf({
  readPriceVisibility: 'GET /billing/v1/price-visibility',
  setPriceVisibility: 'PUT /billing/v1/price-visibility',
})

export const renewalRoutes = routesOf({
  listRenewals: 'GET /billing/v1/renewals',
  exportRenewals: 'GET /billing/v1/renewals.csv',
  exportRenewalsXlsx: 'GET /billing/v1/renewals.xlsx',
})

export const feedRoutes = routesOf({
  readRenewalFeed: 'GET /billing/v1/renewal-feed',
  makeRenewalFeed: 'POST /billing/v1/renewal-feed',
  revokeRenewalFeed: 'DELETE /billing/v1/renewal-feed',
  readCalendar: 'GET /calendar/{secret}',
})
