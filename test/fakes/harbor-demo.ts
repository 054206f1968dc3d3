import type { DemoCustomer } from '#lib/demo/customers.ts'
import { vendorFakes } from './vendor-fakes.ts'
import type { DemoScenario } from './vendors/declaration.ts'

const DOMAIN = 'harbor-trials.example'

/** A subscription for each fate that a change can have; in the demo with vendors only. */
export function harborScenarios(today: string): DemoScenario[] {
  return vendorFakes.flatMap(({ scenarios }) => scenarios(today))
}

/** The customer of these subscriptions. */
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
