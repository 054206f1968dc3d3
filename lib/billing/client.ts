import { queriesOf } from '#lib/platform/api/client.ts'
import type * as accounts from './account-statements/contract.ts'
import type * as charges from './charges/contract.ts'
import type * as files from './invoice-files/contract.ts'
import type * as invoices from './invoices/contract.ts'
import type * as posting from './posting-details/contract.ts'
import {
  accountRoutes,
  chargeRoutes,
  fileRoutes,
  invoiceRoutes,
  postingRoutes,
  statementRoutes,
} from './routes.ts'
import type * as statements from './statements/contract.ts'

export const { listInvoices, summarizeInvoices, readInvoice, exportInvoices, exportInvoicesXlsx } =
  queriesOf<typeof invoices>(invoiceRoutes)

export const { listCharges, exportCharges, exportChargesXlsx } = queriesOf<typeof charges>(chargeRoutes)

export const { exportInvoiceFiles, readInvoiceFile } = queriesOf<typeof files>(fileRoutes)

export const { readAccount, exportAccount, exportAccountXlsx, exportAccountPdf } =
  queriesOf<typeof accounts>(accountRoutes)

export const { readStatement, exportStatement, exportStatementXlsx, exportStatementPdf } =
  queriesOf<typeof statements>(statementRoutes)

export const { listBillingProfiles, setProfilePosting, readAssetPosting, setAssetPosting } =
  queriesOf<typeof posting>(postingRoutes)
