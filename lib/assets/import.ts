import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'

/** Whole licenses. */
export type NewSeats = {
  purchased: number
  /** Absent: the same as purchased. */
  maximum?: number
  assigned: number
}

export type NewSubscription = {
  id: string
  skuId: string
  skuName: string
  billingMethod: string
  status: string
  purchaseOrderId?: string | null
  resourceUiUrl?: string | null
  planName: string
  isCommitmentPlan: boolean
  commitmentStart?: Date | null
  commitmentEnd?: Date | null
  renewalType?: string | null
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
  reseller?: string
  /** Absent: `built-in`; of an asset that is there, the one that it has. */
  vendor?: string
  createdAt: Date
  /** Null: no licenses, billed by usage. */
  subscription: NewSubscription | null
}

export type Imported = { added: number; unchanged: number; replaced: number }

/**
 * Adds assets. One that is there already with the same content changes nothing.
 * @param options.replace writes over an asset that is there with other content; other purchased seats
 * leave a change row and an audit row
 * @throws ImportRefused that lists the differences by field, where `replace` is not set
 */
export async function importAssets(
  _tx: Transaction,
  _customerId: CustomerId,
  _assets: NewAsset[],
  _options: { replace: boolean },
): Promise<Imported> {
  throw new Error('Imports are being built.')
}
