import type Big from 'big.js'
import type { BillHead, ChargeHead } from './fields.ts'

/** The charges of one provider, service and charge category: their number and their exact sum. */
export type ChargeGroup = ChargeHead & { count: number; cost: Big }
/** What becomes one invoice. */
export type Bill = BillHead & { charges: ChargeGroup[] }
/** A bill while it is gathered: where it begins in the file, and its charges by their fields as they are written. */
export type Known = { head: BillHead; line: number; groups: Map<string, ChargeGroup> }
