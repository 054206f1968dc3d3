import { addDays } from '#lib/days.ts'
import { addMonths } from './calendar.ts'
import type { DemoCustomer } from './customer.ts'
import type { Purchase } from './purchase.ts'

const DOMAIN = 'harbor-trials.example'

/** A subscription at a stand-in vendor, and what that does when its licenses are changed. */
export type Trial = {
  purchase: Purchase
  /** By which the stand-in fails; absent: it behaves. */
  fault?: string | { read?: string; write?: string }
  /** What a person sees who tries it. */
  shows: string
}

/** A subscription for each fate that a change can have; in the demo with vendors only. */
export function harborTrials(today: string): Trial[] {
  const google = (number: number, name: string, more: Partial<Purchase> = {}): Purchase => ({
    ...common(number, name, today),
    type: 'workspace-suite',
    id: `workspace-suite-60${number}`,
    vendor: 'google-workspace',
    ...more,
  })
  const microsoft = (number: number, name: string, more: Partial<Purchase> = {}): Purchase => ({
    ...common(number, name, today),
    type: 'office-suite',
    id: `office-suite-70${number}`,
    vendor: 'microsoft-partner-center',
    ...more,
  })
  const annual = { plan: 'ANNUAL_MONTHLY_PAY', renewsOn: addDays(today, 140) } as const
  return [
    { purchase: google(10, 'Answers at once'), shows: 'Applied' },
    {
      purchase: google(11, 'Commitment', annual),
      shows: 'Applied upwards; downwards is refused by our rule',
    },
    {
      purchase: google(12, 'Loses its answer'),
      fault: 'hang-after',
      shows: 'Applying…, Confirming…, then Applied',
    },
    { purchase: google(13, 'Does it late'), fault: 'late', shows: 'Confirming… for some 15 s, then Applied' },
    {
      purchase: google(14, 'Never does it'),
      fault: 'drop-before',
      shows: 'Confirming… for some 40 s, then Not applied',
    },
    {
      purchase: google(15, 'Is too busy'),
      fault: 'throttle',
      shows: 'Not reachable for the moment: nothing was sent',
    },
    { purchase: google(16, 'Refuses'), fault: 'terms', shows: 'Refused, with Google’s reason' },
    { purchase: google(17, 'Was changed at the vendor'), shows: 'Changed at the vendor, in its history' },
    {
      purchase: microsoft(20, 'Accepts, then does it'),
      fault: 'accepted',
      shows: 'Confirming…, then Applied',
    },
    {
      purchase: microsoft(21, 'Has another operation'),
      fault: 'code-900278',
      shows: 'A change is in progress there',
    },
    {
      purchase: microsoft(22, 'Can’t be read'),
      fault: { read: 'error-before' },
      shows: 'Not reachable; after five tries all of Microsoft rests for 10 s',
    },
  ]
}

/** The customer of these subscriptions. */
export function harbor(today: string): DemoCustomer {
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
    purchases: harborTrials(today).map(({ purchase }) => purchase),
    usage: [],
    invoices: [],
  }
}

function common(number: number, name: string, today: string) {
  return {
    sku: { id: `HT-${number}`, name },
    domain: DOMAIN,
    plan: 'FLEXIBLE',
    status: 'ACTIVE',
    boughtOn: addMonths(today, -8),
    seats: { first: 20, assigned: 12 },
  } as const
}
