import type { DemoCustomer } from '#lib/demo/customers.ts'
import { vendorFakes } from './vendor-fakes.ts'
import type { DemoScenario } from './vendors/declaration.ts'

const DOMAIN = 'harbor-trials.example'

/** Returns a subscription for each possible outcome of a change; only in the demo with vendors. */
export function harborScenarios(today: string): DemoScenario[] {
  return vendorFakes.flatMap(({ scenarios }) => scenarios(today))
}

/** Returns the customer of these subscriptions. */
export function harborDemo(today: string): DemoCustomer {
  return {
    name: 'Harbor Trials',
    domain: DOMAIN,
    contactEmail: `office@${DOMAIN}`,
    billingProfiles: [
      {
        id: 'default',
        name: 'Harbor Trials Ltd',
        address: '1 Pier Road\nPortsmouth\nUnited Kingdom',
        taxId: 'GB000123456',
      },
    ],
    members: [{ name: 'Noor Haddad', email: `noor.haddad@${DOMAIN}`, roles: ['it-manager'] }],
    purchases: harborScenarios(today).map(({ purchase }) => ({ ...purchase, domain: DOMAIN })),
    usage: [],
    invoices: [],
  }
}
