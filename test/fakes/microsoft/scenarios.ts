import type { Purchase } from '#lib/demo/purchase.ts'
import type { DemoScenario } from '../vendors/declaration.ts'
import { scenarioPurchase } from '../vendors/scenario.ts'

/** Returns the demo's subscriptions at Microsoft. */
export function scenarios(today: string): DemoScenario[] {
  const microsoft = (number: number, name: string): Purchase => {
    const [id, type] = [`office-suite-70${number}`, 'office-suite'] as const
    return scenarioPurchase({ id, type, vendor: 'microsoft-partner-center', number, name, today })
  }
  const committed = microsoft(23, 'Has a commitment')
  // An order for the next term names the product.
  const sku = { ...committed.sku, id: 'CFQ7TTC0LH18:0001' }
  return [
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
      shows: 'Not reachable, however often; all else of Microsoft goes on',
    },
    {
      purchase: { ...committed, sku, plan: 'ANNUAL_MONTHLY_PAY' },
      shows: 'At renewal: fewer licenses, its end, or an Extended Service Term',
    },
  ]
}
