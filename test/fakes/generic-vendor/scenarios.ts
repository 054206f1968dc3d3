import type { DemoScenario } from '../vendors/declaration.ts'
import { scenarioPurchase } from '../vendors/scenario.ts'

/** Returns the demo's subscriptions at Paperclip. */
export function scenarios(today: string): DemoScenario[] {
  const [type, id] = ['office-suite', 'office-suite-8001'] as const
  const purchase = scenarioPurchase({ id, type, vendor: 'paperclip', number: 1, name: 'By the dozen', today })
  return [{ purchase, shows: 'Applied, by the dozen' }]
}
