import { addDays } from '#lib/platform/values/days.ts'
import { addMonths } from '../calendar.ts'
import type { Purchase } from '../purchase.ts'

const DOMAIN = 'northwindlabs.office.example'

/** Another type of subscription: one that waits, one that idles, one that renews soon; newest first. */
export function northwindOffice(today: string): Purchase[] {
  const type = 'office-suite'
  const renewsOn = addDays(today, 12)
  return [
    {
      id: 'office-suite-5488',
      type,
      sku: { id: 'OF-F1', name: 'Office F1' },
      domain: DOMAIN,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'PENDING',
      boughtOn: addDays(today, -41),
      seats: { first: 30, assigned: 0 },
    },
    {
      id: 'office-suite-5310',
      type,
      sku: { id: 'OF-DG2', name: 'Diagramming Plan 2' },
      domain: DOMAIN,
      plan: 'FLEXIBLE',
      status: 'ACTIVE',
      boughtOn: addMonths(today, -5),
      price: '13.87',
      seats: { first: 130, assigned: 37 },
    },
    {
      id: 'office-suite-5244',
      type,
      sku: { id: 'OF-MTG', name: 'Meeting Rooms' },
      domain: DOMAIN,
      plan: 'ANNUAL_MONTHLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(addDays(today, 156), -12),
      renewsOn: addDays(today, 156),
      renewalType: 'SWITCH_TO_PAY_AS_YOU_GO',
      price: '36.83',
      seats: { first: 12, assigned: 9 },
    },
    {
      id: 'office-suite-5102',
      type,
      sku: { id: 'OF-APB', name: 'Apps for Business' },
      domain: DOMAIN,
      plan: 'FLEXIBLE',
      status: 'ACTIVE',
      boughtOn: addMonths(today, -20),
      price: '10.29',
      seats: { first: 38, assigned: 41 },
      changes: [{ on: addDays(today, -168), to: 45, by: 'Mira Kovač' }],
    },
    {
      id: 'office-suite-4870',
      type,
      sku: { id: 'OF-E3', name: 'Office E3' },
      domain: DOMAIN,
      plan: 'ANNUAL_YEARLY_PAY',
      status: 'ACTIVE',
      boughtOn: addMonths(renewsOn, -36),
      renewsOn,
      renewalType: 'AUTO_RENEW_YEARLY_PAY',
      purchaseOrder: 'PO-80077',
      price: '402.36',
      seats: { first: 310, assigned: 318 },
      changes: [{ on: addMonths(renewsOn, -12), to: 340, by: 'Ana Ruiz' }],
    },
  ]
}
