import 'server-only'
import { findOpenChange } from '#lib/licenses/license-changes/store/changes.ts'
import { observe } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { VendorRead } from '#lib/vendors/vendor.ts'
import { noteOrder, type OrderRow, settleOrder } from '../store.ts'
import { backoff, LONGEST_WAIT_MS, type Placed, type Said, type Step, withdrawer } from './conclude.ts'
import { isOverdue, nextStep } from './next-step.ts'

const NOTED: Placed = { kind: 'noted' }
const MINUTE_MS = 60_000

/** What is to be said to the vendor now, or what came of it without that. */
export async function afterReading(
  tx: Transaction,
  { customerId, order, asset, vendor, reading, requestId }: Step & { reading: VendorRead },
): Promise<Said | Placed> {
  async function settle(
    state: 'APPLIED' | 'LOST' | 'WITHDRAWN',
    reason: string | undefined,
  ): Promise<Placed> {
    const vendorActor = { kind: 'vendor', id: vendor.name, name: vendor.label } as const
    const actor = state === 'WITHDRAWN' ? withdrawer(order) : vendorActor
    await settleOrder(tx, customerId, order, state, { reason, actor, requestId })
    return state === 'LOST' && reason ? { kind: 'lost', reason } : NOTED
  }
  async function wait(reason: string, ms: number): Promise<Placed> {
    await noteOrder(tx, customerId, order.id, { reason, nextLookAt: new Date(Date.now() + ms) })
    return NOTED
  }
  if (reading.kind === 'unavailable') {
    const asked = Math.max((reading.retryAfter ?? 0) * 1000, backoff(order.tries))
    return wait(`${vendor.label} could not be asked.`, asked)
  }
  if (reading.kind === 'missing') {
    if (!isOverdue(order, Date.now())) return wait(reading.reason, LONGEST_WAIT_MS)
    return settle(order.takenBackAt ? 'WITHDRAWN' : 'LOST', reading.reason)
  }
  if (await findOpenChange(tx, customerId, asset.id))
    return wait('A change of the licenses is under way.', MINUTE_MS)
  const { observed } = reading
  const fresh = await observe(tx, customerId, asset, { vendor, observed, requestId })
  const step = nextStep(order, { fresh, observed, vendor, staleMs: vendorTimes().staleMs })
  if (step.kind === 'settle') return settle(step.state, step.reason)
  if (step.kind === 'note') {
    await noteOrder(tx, customerId, order.id, step.note)
    return NOTED
  }
  const tries = order.tries + 1
  const nextLookAt = new Date(Date.now() + backoff(tries))
  const unclearUntil = unclearFrom(vendor, order)
  await noteOrder(tx, customerId, order.id, { ...step.note, tries, nextLookAt, unclearUntil })
  const said = { next: step.next, takesAway: order.takenBackAt !== null, version: fresh.seatVersion }
  return { kind: 'say', ...said, unclearBefore: order.unclearUntil }
}

/** Until its answer is there, and longer where that is lost, a statement may still be done: null where a late one is refused. */
function unclearFrom(vendor: GuardedVendor, { unclearUntil }: OrderRow): Date | null {
  if (vendor.isNextTermConditional) return null
  const own = Date.now() + vendorTimes().writeMs + vendor.settleMs
  return new Date(Math.max(own, unclearUntil?.getTime() ?? 0))
}
