import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Fake } from './fake.ts'
import type { Answer } from './routes.ts'

const id = z.string().min(1)
const fault = z.string()
const persistentFault = z.union([fault, z.object({ read: fault.optional(), write: fault.optional() })])
const fields = {
  customerId: z.string().optional(),
  skuId: z.string().optional(),
  assigned: z.int().optional(),
  status: z.string().optional(),
  plan: z.string().optional(),
}
const vendorFields = z.record(z.string(), z.unknown()).optional()

const Order = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('add'),
    subscription: z.object({
      id,
      ...fields,
      total: z.int().optional(),
      createdAt: z.int().optional(),
      vendorFields: vendorFields,
    }),
    fault: persistentFault.optional(),
  }),
  z.object({ do: z.literal('set'), id, total: z.int() }),
  z.object({
    do: z.literal('change'),
    id,
    patch: z.object({ id: id.optional(), ...fields }),
    vendorFields: vendorFields,
  }),
  z.object({ do: z.literal('fault'), id, fault: persistentFault.nullable() }),
  z.object({ do: z.literal('fail-next'), kind: z.enum(['read', 'write', 'auth']), fault }),
  z.object({ do: z.literal('down'), down: z.boolean() }),
])

/** Body of `POST /_control`: the functions of `Fake`, for other processes. */
export type ControlOrder = z.input<typeof Order>

/** Executes a control request. Both GET and POST return the state of everything. */
export function control<VendorFields>(
  fake: Fake<VendorFields>,
  request: IncomingMessage,
  text: string,
): Answer {
  if (request.method === 'GET') return { status: 200, body: stateOf(fake) }
  // A page in a user's browser can't send JSON here without a CORS preflight.
  const isJson = request.headers['content-type']?.startsWith('application/json')
  if (request.method !== 'POST' || !isJson) return { status: 405, body: 'POST application/json' }
  try {
    const order = Order.parse(JSON.parse(text))
    obey(fake as Fake<unknown>, order)
    return { status: 200, body: stateOf(fake) }
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } }
  }
}

function stateOf<VendorFields>(fake: Fake<VendorFields>) {
  const { label, writes, overlaps } = fake
  return { label, down: fake.isDown(), subscriptions: fake.subscriptions(), writes, overlaps }
}

function obey(fake: Fake<unknown>, order: z.output<typeof Order>): void {
  switch (order.do) {
    case 'add':
      fake.add(defined(order.subscription), { fault: order.fault })
      break
    case 'set':
      fake.setByVendor(order.id, order.total)
      break
    case 'change':
      fake.change(order.id, defined(order.patch), order.vendorFields)
      break
    case 'fault':
      fake.setFault(order.id, order.fault ?? undefined)
      break
    case 'fail-next':
      fake.failNext(order.kind, order.fault)
      break
    case 'down':
      fake.setDown(order.down)
  }
}

/** Returns the object without undefined members, so that they overwrite nothing. */
function defined<Fields extends object>(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Fields
}
