import { standIns } from '../stand-ins.ts'
import type { Call } from '../vendors/routes.ts'
import { sizeOf, subscriptionAt } from './subscriptions.ts'

// A stand-in with the books of many subscriptions, in a process of its own: what it does and keeps is not ours. It is
// started by `start.ts` with the vendor's name, how many subscriptions it has, and a folder for its key.

/** What goes wrong from now on. All counts begin anew with it. */
export type Weather = {
  /** The call that is answered 429 with Retry-After: the n-th of its kind, counted from 1. */
  throttled?: { name: string; call: number }
  /** The number of a customer of whom nothing can be read. */
  failing?: number
}
export type Told = {
  settings?: Record<string, string>
  counts?: { byName: Record<string, number>; mostASecond: number }
}

const [name = '', count = '', folder = ''] = process.argv.slice(2)
const size = sizeOf(Number(count))
const standIn = standIns.find(({ vendor }) => vendor === name)
if (!standIn) throw new Error(`There is no stand-in for ${name}.`)
/** Its list is one of all customers: there, a customer of whom nothing can be read has no line. */
const hasOneList = name === 'google-workspace'

let weather: Weather = {}
let byName: Record<string, number> = {}
let bySecond = new Map<number, number>()

const { fake, settings } = await standIn.start({ choose, retryAfter: 5 }, folder)
for (let n = 0; n < size.subscriptions; n++) {
  fake.add(standIn.given({ ...subscriptionAt(n, size), planName: 'FLEXIBLE', status: 'ACTIVE' }))
}

function choose({ name: kind, params, query }: Call): string | undefined {
  const number = (byName[kind] ?? 0) + 1
  byName[kind] = number
  const second = Math.floor(Date.now() / 1000)
  bySecond.set(second, (bySecond.get(second) ?? 0) + 1)
  const { throttled, failing } = weather
  const asked = params.customer ?? query.get('customerId')
  if (failing !== undefined && asked === subscriptionAt(failing, size).customerId) return 'error-before'
  return throttled?.name === kind && throttled.call === number ? 'throttle' : undefined
}

function show(customer: number | undefined, isShown: boolean): void {
  if (customer === undefined || !hasOneList) return
  for (let n = customer; n < size.subscriptions; n += size.customers) {
    const { id, customerId } = subscriptionAt(n, size)
    fake.change(id, { customerId: isShown ? customerId : 'elsewhere' })
  }
}

function tell(told: Told): void {
  process.send?.(told)
}

process.on('message', (next: Weather | 'counts') => {
  if (next === 'counts') {
    tell({ counts: { byName, mostASecond: Math.max(0, ...bySecond.values()) } })
    return
  }
  show(weather.failing, true)
  show(next.failing, false)
  weather = next
  byName = {}
  bySecond = new Map()
  tell({})
})
process.on('disconnect', () => process.exit())
tell({ settings })
