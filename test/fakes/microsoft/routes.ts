import type { Pages } from '../vendors/book.ts'
import type { OwnFault } from '../vendors/faults.ts'
import type { Answer, Call, Route } from '../vendors/routes.ts'
import { refuse } from './errors.ts'
import { listRoutes } from './list.ts'
import { entraSku, type Kept, type Own, resourceOf } from './resource.ts'
import { apply, objectOf, whyNot } from './rules.ts'
import { guarded, type tokens } from './token.ts'

const SUBSCRIPTION = '/v1/customers/:customer/subscriptions/:subscription'

/**
 * The calls of Partner Center that the console makes, and Entra's token endpoint. `accepts` makes a fault of a PATCH
 * that takes longer.
 */
export function microsoftRoutes(entra: ReturnType<typeof tokens>, showsAssigned: boolean) {
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
  return { routes: [token, ...routes.map((route) => guarded(route, entra.knows, showsAssigned))], accepts }
}

function find(pages: Pages<Own>, call: Call): Kept | undefined {
  const kept = pages.find(call.subscriptionId ?? '')
  return kept?.customerId === call.params.customer ? kept : undefined
}
