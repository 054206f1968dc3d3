import { setTimeout as delay } from 'node:timers/promises'
import type { Pages } from '../vendors/book.ts'
import { startFake } from '../vendors/engine.ts'
import type { Fake, FakeOptions } from '../vendors/fake.ts'
import type { OwnFault } from '../vendors/faults.ts'
import type { Answer, Call, FakeVendor, Route } from '../vendors/routes.ts'
import { CODE_FAULTS, refuse } from './errors.ts'
import { listRoutes } from './lists.ts'
import { entraSku, fill, type Kept, type Own, resourceOf } from './resource.ts'
import { apply, objectOf, whyNot } from './rules.ts'
import { guarded, type TokenRules, tokens } from './tokens.ts'

export type MicrosoftOptions = FakeOptions &
  Partial<TokenRules> & {
    /** Whether an application alone may see assigned licenses; the real one may want a signed-in user. */
    showsAssigned?: boolean
  }

export type FakeMicrosoft = Fake<Own> & {
  /** What `microsoftPartnerCenter` needs to know; no time in which a write may stay unseen. */
  config: { url: string; tokenUrl: string; clientId: string; clientSecret: string; settleMs: number }
  /** As if somebody had taken the application's rights, and given them again. */
  revokeTokens(): void
  /** The settings with which the console talks to this fake. */
  environment(): Record<string, string>
}

const SLOW_MS = 200
const SUBSCRIPTION = '/v1/customers/:customer/subscriptions/:subscription'

/** Starts a Partner Center with its published rules, and the Entra ID beside it, for loopback. */
export async function startMicrosoft(options: MicrosoftOptions = {}): Promise<FakeMicrosoft> {
  const { clientId = 'console', clientSecret = 'only-for-the-fake', tokenSeconds = 3600 } = options
  const entra = tokens({ clientId, clientSecret, tokenSeconds })
  const fake = await startFake(partnerCenter(entra, options.showsAssigned ?? true), options)
  const tokenUrl = `${fake.url}/tenant/oauth2/v2.0/token`
  const config = { url: fake.url, tokenUrl, clientId, clientSecret, settleMs: 0 }
  const environment = () => ({
    MICROSOFT_TENANT_ID: 'tenant',
    MICROSOFT_CLIENT_ID: clientId,
    MICROSOFT_CLIENT_SECRET: clientSecret,
    MICROSOFT_URL: fake.url,
    MICROSOFT_TOKEN_URL: tokenUrl,
  })
  return Object.assign(fake, { config, environment, revokeTokens: entra.revokeAll })
}

function partnerCenter(entra: ReturnType<typeof tokens>, showsAssigned: boolean): FakeVendor<Own> {
  const answered = new Map<string, Answer>()
  const accepted = new WeakSet<Call>()
  let isAccepting = false

  const patch: Extract<Route<Own>, { kind: 'write' }>['handle'] = (call, book) => {
    const [id, kept] = [String(call.headers['ms-requestid']), find(book, call)]
    const before = answered.get(id)
    if (before && !accepted.has(call)) return before
    if (!kept) return refuse(20002)
    const body = objectOf(call.text)
    // What was accepted is done at last, whatever was read or written since.
    const no = accepted.has(call) ? undefined : whyNot(call, kept, body)
    const promise = { headers: { location: call.target.slice('/v1'.length) }, body: resourceOf(kept) }
    let answer: Answer = no ?? { status: 202, ...promise }
    if (isAccepting && !no) {
      accepted.add(call)
      book.change(kept.id, {}, { isPending: true })
    } else if (!no) answer = apply(book, kept, body ?? {})
    answered.set(id, answer)
    return answer
  }

  /** A PATCH that takes longer: it is checked at once, and done later or, now and then, never. */
  const accepts =
    (isDone: boolean): OwnFault<Answer> =>
    async (stage) => {
      isAccepting = true
      const answering = stage.act()
      isAccepting = false
      const answer = await answering
      if (answer.status === 202 && isDone) stage.later()
      return answer
    }

  const routes: Route<Own>[] = [
    ...listRoutes,
    {
      name: 'get',
      kind: 'read',
      method: 'GET',
      path: SUBSCRIPTION,
      handle(call, pages) {
        const kept = find(pages, call)
        return kept ? { status: 200, body: resourceOf(kept) } : refuse(20002)
      },
    },
    { name: 'patch', kind: 'write', method: 'PATCH', path: SUBSCRIPTION, handle: patch },
    {
      name: 'provisioningStatus',
      kind: 'read',
      method: 'GET',
      path: `${SUBSCRIPTION}/provisioningstatus`,
      handle(call, pages) {
        const kept = find(pages, call)
        if (!kept) return refuse(20002)
        // In capitals, as the published example has it.
        const skuId = entraSku(kept.skuId).toUpperCase()
        return { status: 200, body: { skuId, status: 'success', quantity: kept.total } }
      },
    },
  ]
  const token: Route<Own> = {
    name: 'token',
    kind: 'auth',
    method: 'POST',
    path: '/tenant/oauth2/v2.0/token',
    handle: entra.grant,
  }
  return {
    label: 'Microsoft Partner Center',
    routes: [token, ...routes.map((route) => guarded(route, entra.knows, showsAssigned))],
    fill,
    error: (status) => (status === 500 ? refuse(800094) : { status, body: 'Service Unavailable' }),
    throttled: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: { code: '429', description: 'Too many requests.' },
    }),
    notFound: () => ({ status: 404, body: { code: '404', description: 'There is nothing here.' } }),
    faults: {
      ...CODE_FAULTS,
      accepted: accepts(true),
      'accepted-never-done': accepts(false),
      // A success that still shows the old total.
      'old-answer': async (stage) => {
        const answer = await accepts(true)(stage)
        return typeof answer === 'object' && answer.status === 202 ? { ...answer, status: 200 } : answer
      },
      'empty-after': async (stage) => ({ status: (await stage.act()).status }),
      slow: (stage) => delay(SLOW_MS).then(() => stage.act()),
      redirect: () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/' } }),
    },
  }
}

function find(pages: Pages<Own>, call: Call): Kept | undefined {
  const kept = pages.find(call.subscriptionId ?? '')
  return kept?.customerId === call.params.customer ? kept : undefined
}
