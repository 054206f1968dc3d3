import type { Purchase } from '#lib/demo/purchase.ts'
import { addDays } from '#lib/platform/values/days.ts'
import type { DemoScenario } from '../vendors/declaration.ts'
import { scenarioPurchase } from '../vendors/scenario.ts'

/** Returns the demo's subscriptions at Google. */
export function scenarios(today: string): DemoScenario[] {
  const google = (number: number, name: string): Purchase => {
    const [id, type] = [`workspace-suite-60${number}`, 'workspace-suite'] as const
    return scenarioPurchase({ id, type, vendor: 'google-workspace', number, name, today })
  }
  const annual = { plan: 'ANNUAL_MONTHLY_PAY', renewsOn: addDays(today, 140) } as const
  return [
    { purchase: google(10, 'Answers at once'), shows: 'Applied' },
    {
      purchase: { ...google(11, 'Commitment'), ...annual },
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
      shows: 'Confirming… for some 50 s, then Not applied',
    },
    {
      purchase: google(15, 'Is too busy'),
      fault: 'throttle',
      shows: 'Not reachable for the moment: nothing was sent',
    },
    { purchase: google(16, 'Refuses'), fault: 'terms', shows: 'Refused, with Google’s reason' },
    {
      purchase: google(17, 'Was changed at the vendor'),
      changedTo: 23,
      shows: 'Changed at the vendor, in its history',
    },
  ]
}
