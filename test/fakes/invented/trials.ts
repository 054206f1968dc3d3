import type { Trial } from '../vendors/stand-in.ts'
import { trialPurchase } from '../vendors/trial.ts'

/** The demo's subscriptions at Paperclip. */
export function trials(today: string): Trial[] {
  const [type, id] = ['office-suite', 'office-suite-8001'] as const
  const purchase = trialPurchase({ id, type, vendor: 'paperclip', number: 1, name: 'By the dozen', today })
  return [{ purchase, shows: 'Applied, by the dozen' }]
}
