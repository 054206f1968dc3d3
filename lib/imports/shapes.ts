import type { IssuerDetails } from '#lib/issuers/store.ts'

// What the readers of files hand to what writes it, whatever the file was.

/** How many of the file's assets or invoices were new, as they are stored already, and written over. */
export type Imported = { added: number; unchanged: number; replaced: number }

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
  /** Contact, in e-mail form. Absent: of an asset that is there, the one that it has; else none. */
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
export type NewLineItem = {
  type: string
  description: string
  price: string
  qty: string
  details?: string | null
}

/** An invoice from outside, checked by its reader. Amounts are exact decimal text. */
export type NewInvoice = {
  id: string
  /** Absent: the customer's profile `default`; of an invoice that is there, the one that it has. */
  billingProfileId?: string | undefined
  platform: string
  issuer: string
  /** What the invoice says of its issuer; absent: what is known stays. */
  issuerDetails?: Partial<IssuerDetails> | undefined
  /** `YYYY-MM-DD`, days of UTC, the due date not before the other. */
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  /** Absent: nothing is paid yet; of an invoice that is there, as much as was paid before. */
  balanceAmount?: string | undefined
  /** At least one. */
  lines: NewLineItem[]
}
