import type { IssuerDetails } from '#lib/billing/parties/issuers.ts'
import type { NewLinePosting, NewPosting } from './posting/schemas.ts'

// Types that file readers pass to the code that stores the data, for any format.

/** Numbers of the file's assets that were added, unchanged, and replaced. */
export type Imported = { added: number; unchanged: number; replaced: number }

/** Numbers of a file's invoices by result. */
export type InvoiceCounts = {
  added: number
  unchanged: number
  /** Issued ones with another balance than before. */
  moved: number
  /** Drafts with another content than before, and those that are issued now. */
  redrafted: number
  /** Issued ones with another content: voided, with a new one in their place. */
  corrected: number
  /** Drafts in whose place an issued one came. */
  superseded: number
  voided: number
}
export const NOTHING: Readonly<InvoiceCounts> = {
  added: 0,
  unchanged: 0,
  moved: 0,
  redrafted: 0,
  corrected: 0,
  superseded: 0,
  voided: 0,
}

/** Whole licenses. */
export type NewSeats = {
  purchased: number
  /** Absent: the same as purchased. */
  maximum?: number | undefined
  assigned: number
}

export type NewSubscription = {
  id: string
  skuId: string
  skuName: string
  billingMethod: string
  status: string
  purchaseOrderId?: string | null | undefined
  resourceUiUrl?: string | null | undefined
  planName: string
  isCommitmentPlan: boolean
  commitmentStart?: Date | null | undefined
  commitmentEnd?: Date | null | undefined
  renewalType?: string | null | undefined
  seats: NewSeats
}

/** An asset from outside, checked by its reader. */
export type NewAsset = {
  /** Starts with the type and a hyphen. */
  id: string
  type: string
  name: string
  customerDomain: string
  vendorCustomerId: string
  /** Contact, in email form. Absent: of an asset that is there, the one that it has; else none. */
  reseller?: string | undefined
  /** Absent: `built-in`; of an asset that is there, the one that it has. */
  vendor?: string | undefined
  /** The reseller's account at the vendor. Absent: of an asset that is there, the one that it has; else `default`. */
  vendorAccount?: string | undefined
  createdAt: Date
  /** Null: no licenses, billed by usage. */
  subscription: NewSubscription | null
}

/** Exact decimal text; the price is per unit. */
export type NewLineItem = NewLinePosting & {
  type: string
  description: string
  price: string
  qty: string
  details?: string | null
  /** Rule and billed cost behind a reseller's price, for operators only. */
  priced?: { rule: string; billedCost: string }
}

export type DocumentState = 'draft' | 'issued' | 'voided'

/** An invoice from outside, checked by its reader. Amounts are exact decimal text. */
export type NewInvoice = NewPosting & {
  /** The issuer's number, or ours where the issuer has none. */
  number: string
  /** Absent: the number is the issuer's. */
  isNumbered?: boolean | undefined
  /** Its issuer numbers invoices, and has not billed these charges yet. */
  awaitsBill?: boolean | undefined
  /** Absent: issued. */
  documentState?: DocumentState | undefined
  /** Absent: an invoice; `summary`: its issuer sent no such paper. */
  form?: 'invoice' | 'summary' | undefined
  /** Absent: the customer's profile `default`; of an invoice that is there, the one that it has. */
  billingProfileId?: string | undefined
  platform: string
  issuer: string
  /** Issuer details on the invoice; if absent, the stored ones stay. */
  issuerDetails?: Partial<IssuerDetails> | undefined
  /** `YYYY-MM-DD`, days of UTC, the due date not before the other. */
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  /** Absent: nothing is paid yet; of an invoice that is there, as much as was paid before. */
  balanceAmount?: string | undefined
  /** The issuer's account of the customer. */
  billingAccount?: string | undefined
  /** Its accounts if there are several: only used to find an invoice that already bills one of them. */
  accounts?: string[] | undefined
  /** The period that is billed, `YYYY-MM-DD`; the end is exclusive. */
  periodStart?: string | undefined
  periodEnd?: string | undefined
  /** The number of the same issuer's invoice that this one corrects or credits. */
  corrects?: string | undefined
  /** At least one. */
  lines: NewLineItem[]
}
