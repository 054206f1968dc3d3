import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newBook } from './book.ts'
import { calls } from './calls.ts'
import { control } from './control.ts'
import type { Fake, FakeOptions } from './fake.ts'
import { FAULTS, type Fault, type Standing } from './faults.ts'
import type { FakeVendor } from './routes.ts'
import { bodyOf, send } from './wire.ts'

// Test equipment: a vendor that keeps books, answers by its own rules, and fails when it is told to. It listens on
// loopback only. The engine knows no vendor; a vendor is a table of routes and the rules behind them.

/** Starts a vendor that the routes describe. */
export async function startFake<Own>(vendor: FakeVendor<Own>, options: FakeOptions = {}): Promise<Fake<Own>> {
  const book = newBook<Own>()
  const taken = calls(vendor, book, options)
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      mistakes.push(error)
      response.destroy()
    })
  })
  const mistakes: unknown[] = []
  let count = 0

  const known = (fault: Fault) => {
    if ([...FAULTS, ...Object.keys(vendor.faults ?? {})].includes(fault)) return
    throw new Error(`${vendor.label} knows no fault named ${fault}.`)
  }
  const setFault = (id: string, fault: Standing | undefined) => {
    const named = typeof fault === 'object' ? [fault.read, fault.write] : [fault]
    for (const name of named) if (name !== undefined) known(name)
    const key = book.keyOf(id)
    if (key === undefined) throw new Error(`There is no subscription ${id}.`)
    taken.standing.set(key, fault)
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request).catch(() => undefined)
    if (text === undefined) return void response.destroy()
    if (request.url === '/_control') return send(response, control(fake, request, text))
    count += 1
    await taken.take({ number: count, request, response, text })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const fake: Fake<Own> = {
    url: `http://127.0.0.1:${port}`,
    label: vendor.label,
    add(given, { fault } = {}) {
      const subscription = vendor.fill(given)
      book.add(subscription)
      setFault(subscription.id, fault)
      return subscription
    },
    subscription: book.find,
    subscriptions: book.all,
    change: book.change,
    setByVendor: (id, total) => book.setTotal(id, total, 'vendor'),
    setFault,
    failNext(kind, fault) {
      known(fault)
      taken.next.push({ kind, fault })
    },
    setDown: (down) => taken.setDown(down),
    isDown: taken.isDown,
    writes: book.writes,
    callOf: taken.callOf,
    exchanges: taken.exchanges,
    ownWrites: taken.ownWrites,
    get overlaps() {
      return taken.overlaps()
    },
    settled: taken.settled,
    async close() {
      taken.forget()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      if (mistakes.length > 0) throw mistakes[0]
    },
  }
  return fake
}
