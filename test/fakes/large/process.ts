import { vendorFakes } from '../vendor-fakes.ts'
import type { Call } from '../vendors/routes.ts'
import { sizeOf, subscriptionAt } from './subscriptions.ts'

// Fake with many subscriptions in a separate process, whose work and memory are not the product's. `start.ts` starts it
// with the vendor's name, the number of subscriptions, and a folder for its key.

/** Faults from now on. All counts start again with a new plan. */
export type FaultPlan = {
  /** Call that is answered with 429 and Retry-After: the n-th of its kind, counted from 1. */
  throttled?: { name: string; call: number }
  /** Number of a customer that can't be read. */
  failing?: number
}
export type ProcessMessage = {
  settings?: Record<string, string>
  counts?: { byName: Record<string, number>; mostASecond: number }
}

const [name = '', count = '', folder = ''] = process.argv.slice(2)
const size = sizeOf(Number(count))
const declaration = vendorFakes.find(({ vendor }) => vendor === name)
if (!declaration) throw new Error(`There is no fake of ${name}.`)
/** Google lists the subscriptions of all customers: a customer that can't be read is missing there. */
const hasOneList = name === 'google-workspace'

let faultPlan: FaultPlan = {}
let byName: Record<string, number> = {}
let bySecond = new Map<number, number>()

const { fake, settings } = await declaration.start({ choose, retryAfter: 5 }, folder)
for (let n = 0; n < size.subscriptions; n++) {
  fake.add(
    declaration.toNewSubscription({ ...subscriptionAt(n, size), planName: 'FLEXIBLE', status: 'ACTIVE' }),
  )
}

function choose({ name: kind, params, query }: Call): string | undefined {
  const number = (byName[kind] ?? 0) + 1
  byName[kind] = number
  const second = Math.floor(Date.now() / 1000)
  bySecond.set(second, (bySecond.get(second) ?? 0) + 1)
  const { throttled, failing } = faultPlan
  const customer = params.customer ?? query.get('customerId')
  if (failing !== undefined && customer === subscriptionAt(failing, size).customerId) return 'error-before'
  return throttled?.name === kind && throttled.call === number ? 'throttle' : undefined
}

function show(customer: number | undefined, isVisible: boolean): void {
  if (customer === undefined || !hasOneList) return
  for (let n = customer; n < size.subscriptions; n += size.customers) {
    const { id, customerId } = subscriptionAt(n, size)
    fake.change(id, { customerId: isVisible ? customerId : 'elsewhere' })
  }
}

function reply(message: ProcessMessage): void {
  process.send?.(message)
}

process.on('message', (next: FaultPlan | 'counts') => {
  if (next === 'counts') {
    reply({ counts: { byName, mostASecond: Math.max(0, ...bySecond.values()) } })
    return
  }
  show(faultPlan.failing, true)
  show(next.failing, false)
  faultPlan = next
  byName = {}
  bySecond = new Map()
  reply({})
})
process.on('disconnect', () => process.exit())
reply({ settings })
