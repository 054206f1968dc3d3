import type { DemoCustomer } from './customer.ts'
import { freight } from './freight/freight.ts'
import { northwind } from './northwind/northwind.ts'
import { studio } from './studio.ts'

/** The invented customers, in the order of `customers list`: every case first, the largest last. */
export function demoCustomers(
  today: string,
  { largest = 5000 } = {},
): [DemoCustomer, DemoCustomer, DemoCustomer] {
  return [northwind(today), studio(today), freight(today, { invoices: largest })]
}
