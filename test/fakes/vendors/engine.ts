import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callHandler } from './call-handler.ts'
import { control } from './control.ts'
import type { Fake, FakeOptions } from './fake.ts'
import { FAULTS, type Fault, type PersistentFault } from './faults.ts'
import type { FakeVendor } from './routes.ts'
import { newStore } from './store.ts'
import { bodyOf, send } from './wire.ts'

// Test equipment: a vendor that keeps books, answers by its own rules, and fails when it is told to. It listens on
// loopback only. The engine knows no vendor; a vendor is a table of routes and the rules behind them.

/** Starts a vendor that the routes describe. */
export async function startFake<VendorFields>(
  vendor: FakeVendor<VendorFields>,
  options: FakeOptions = {},
): Promise<Fake<VendorFields>> {
  const store = newStore<VendorFields>()
  const handler = callHandler(vendor, store, options)
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      mistakes.push(error)
      response.destroy()
    })
  })
  const mistakes: unknown[] = []
  let count = 0

  const assertFaultExists = (fault: Fault) => {
    if ([...FAULTS, ...Object.keys(vendor.faults ?? {})].includes(fault)) return
    throw new Error(`${vendor.label} has no fault named ${fault}.`)
  }
  const setFault = (id: string, fault: PersistentFault | undefined) => {
    const named = typeof fault === 'object' ? [fault.read, fault.write] : [fault]
    for (const name of named) if (name !== undefined) assertFaultExists(name)
    const key = store.keyOf(id)
    if (key === undefined) throw new Error(`There is no subscription ${id}.`)
    handler.persistentFaults.set(key, fault)
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request).catch(() => undefined)
    if (text === undefined) return void response.destroy()
    if (request.url === '/_control') return send(response, control(fake, request, text))
    count += 1
    await handler.handle({ number: count, request, response, text })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const fake: Fake<VendorFields> = {
    url: `http://127.0.0.1:${port}`,
    label: vendor.label,
    add(input, { fault } = {}) {
      const subscription = vendor.fill(input)
      store.add(subscription)
      setFault(subscription.id, fault)
      return subscription
    },
    subscription: store.find,
    subscriptions: store.all,
    change: store.change,
    setByVendor: (id, total) => store.setTotal(id, total, 'vendor'),
    setFault,
    failNext(kind, fault) {
      assertFaultExists(fault)
      handler.next.push({ kind, fault })
    },
    setDown: (down) => handler.setDown(down),
    isDown: handler.isDown,
    writes: store.writes,
    callOf: handler.callOf,
    exchanges: handler.exchanges,
    fieldWrites: handler.fieldWrites,
    get overlaps() {
      return handler.overlaps()
    },
    whenIdle: handler.whenIdle,
    async close() {
      handler.forget()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      if (mistakes.length > 0) throw mistakes[0]
    },
  }
  return fake
}
