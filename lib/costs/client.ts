import { queriesOf } from '#lib/platform/api/client.ts'
import type * as comparisons from './comparisons/contract.ts'
import type * as explanations from './explanations/contract.ts'
import type * as prices from './license-prices/contract.ts'
import type * as feeds from './renewal-feeds/contract.ts'
import type * as renewals from './renewals/contract.ts'
import { comparisonRoutes, explanationRoutes, feedRoutes, priceRoutes, renewalRoutes } from './routes.ts'

export const { compareInvoices, exportComparison, exportComparisonXlsx } =
  queriesOf<typeof comparisons>(comparisonRoutes)

export const { explainMonth, exportExplanation, exportExplanationXlsx } =
  queriesOf<typeof explanations>(explanationRoutes)

export const { readPriceVisibility, setPriceVisibility } = queriesOf<typeof prices>(priceRoutes)

export const { listRenewals, exportRenewals, exportRenewalsXlsx } = queriesOf<typeof renewals>(renewalRoutes)

export const { readRenewalFeed, makeRenewalFeed, revokeRenewalFeed } = queriesOf<typeof feeds>(feedRoutes)
