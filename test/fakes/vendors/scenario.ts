import { addMonths } from '#lib/demo/calendar.ts'
import type { Purchase } from '#lib/demo/purchase.ts'

type ScenarioPurchase = Pick<Purchase, 'id' | 'type' | 'vendor'> & {
  number: number
  name: string
  today: string
}

/** Returns a flexible plan of 20 licenses, 12 of them assigned. Its name is the outcome of its changes. */
export function scenarioPurchase({ id, type, vendor, number, name, today }: ScenarioPurchase): Purchase {
  return {
    id,
    type,
    vendor,
    sku: { id: `HT-${number}`, name },
    domain: 'example.com',
    plan: 'FLEXIBLE',
    status: 'ACTIVE',
    boughtOn: addMonths(today, -8),
    seats: { first: 20, assigned: 12 },
  }
}
