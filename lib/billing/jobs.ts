import 'server-only'
import type { BackgroundWork } from '#lib/platform/db/background.ts'
import { taxOfGrossLines } from './invoice-files/reissue.ts'
import { payableAmounts } from './invoices/sums/verify-totals.ts'
import { invoiceTokens } from './invoices/tokens.ts'
import { paymentOpenings } from './payments/openings.ts'

export const billingWork: BackgroundWork = {
  backfills: [invoiceTokens, payableAmounts, paymentOpenings, taxOfGrossLines],
}
