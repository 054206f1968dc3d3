import * as access from '#lib/access/contract.ts'
import { route } from '#lib/api/endpoint.ts'
import { openApiOperation } from '#lib/api/openapi.ts'
import * as assets from '#lib/assets/contract.ts'
import * as comparisons from '#lib/comparisons/contract.ts'
import * as files from '#lib/invoice-files/contract.ts'
import * as invoices from '#lib/invoices/contract.ts'
import * as changes from '#lib/license-changes/contract.ts'
import * as statements from '#lib/statements/contract.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  openApiOperation([
    assets.listAssets,
    assets.exportAssets,
    assets.readAsset,
    changes.setQuantity,
    assets.summarizeAssets,
    changes.listLicenseChanges,
    changes.readLicenseChange,
    invoices.listInvoices,
    invoices.exportInvoices,
    invoices.readInvoice,
    files.readInvoiceFile,
    files.exportInvoiceFiles,
    invoices.summarizeInvoices,
    comparisons.compareInvoices,
    comparisons.exportComparison,
    statements.readStatement,
    statements.exportStatement,
    access.validateKey,
  ]),
)
