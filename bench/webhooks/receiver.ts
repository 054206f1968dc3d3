import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

/** How a receiver behaves: `slow` answers 204 a second after the sender has given up. */
export const MODES = ['good', 'down', 'slow', 'redirecting', 'failing'] as const
export type Mode = (typeof MODES)[number]

const SLOW_MS = 6000

/** First request of an event, and its first acceptance: their positions in the order of all, and their times. */
type Arrival = { seen: number; accepted: number | undefined; acceptedAt: number; version: number }

/** Body of an event, as far as the check needs it. */
type Body = { type: string; data: { version: number; licenseChangeId?: string; assetId?: string } & Ids }
type Ids = { invoiceId?: string; paymentId?: string }

/** Receiver of one webhook, which verifies signatures and records when each event arrived. */
export class Receiver {
  /** Arrivals by object and event. */
  readonly objects = new Map<string, Map<string, Arrival>>()
  readonly counts: Record<Mode, number> = { good: 0, down: 0, slow: 0, redirecting: 0, failing: 0 }
  /** Secret of the webhook, with which each request is verified. */
  secret = ''
  unverified = 0
  /** Number of connections to it, with a request or without. */
  connections = 0
  /** Address to which it redirects. */
  redirect = ''
  private mode: Mode = 'good'
  private count = 0
  private port = 0
  private server: Server | undefined

  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  async set(mode: Mode): Promise<void> {
    this.mode = mode
    if (mode === 'down') await this.close()
    else if (!this.server) await this.listen()
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      // A request that ends early, as when the receiver goes down, has no body.
      this.answer(request, response).catch(() => response.destroy())
    })
    server.on('connection', () => {
      this.connections += 1
    })
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    this.port = (server.address() as AddressInfo).port
    this.server = server
  }

  async close(): Promise<void> {
    const { server } = this
    this.server = undefined
    server?.closeAllConnections()
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
  }

  /** Returns the ids of the events that it has accepted. */
  accepted(): Set<string> {
    const events = [...this.objects.values()].flatMap((one) => [...one])
    return new Set(events.flatMap(([id, { accepted }]) => (accepted === undefined ? [] : [id])))
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.toArray()).join('')
    this.counts[this.mode] += 1
    try {
      new Webhook(this.secret).verify(text, request.headers as Record<string, string>)
    } catch {
      this.unverified += 1
    }
    const { data }: Body = JSON.parse(text)
    const object = data.assetId ?? data.invoiceId ?? 'none'
    const events = this.objects.get(object) ?? new Map<string, Arrival>()
    this.objects.set(object, events)
    const id = data.licenseChangeId ?? data.paymentId ?? 'none'
    const arrival = events.get(id) ?? {
      seen: this.count++,
      accepted: undefined,
      acceptedAt: 0,
      version: data.version,
    }
    events.set(id, arrival)
    if (this.mode === 'failing') return void response.writeHead(500).end()
    if (this.mode === 'redirecting') return void response.writeHead(307, { location: this.redirect }).end()
    if (this.mode === 'slow') await sleep(SLOW_MS)
    arrival.accepted ??= this.count++
    arrival.acceptedAt ||= performance.now()
    response.writeHead(204).end()
  }
}

/** Returns the faults of the order: an event that was requested before its predecessor was accepted. */
export function sequenceFaults({ objects }: Receiver): string[] {
  return [...objects].flatMap(([object, events]) => {
    const sorted = [...events].sort(([, a], [, b]) => a.version - b.version)
    return sorted.flatMap(([id, { seen }], at) => {
      const before = sorted[at - 1]
      if (!before || seen > (before[1].accepted ?? Number.POSITIVE_INFINITY)) return []
      return [`${object}: ${id} was requested before ${before[0]} was accepted`]
    })
  })
}
