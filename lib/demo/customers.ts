import type { DemoCustomer } from './customer.ts'
import { freight } from './freight.ts'
import { northwind } from './northwind.ts'
import { studio } from './studio.ts'

/** The invented customers, in the order of `customers list`: every case first, the largest last. */
export const DEMO_CUSTOMERS: readonly ((today: string) => DemoCustomer)[] = [northwind, studio, freight]
