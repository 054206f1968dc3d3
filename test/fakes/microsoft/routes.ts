import type { VendorFault } from '../vendors/faults.ts'
import type { Answer, Call, Route } from '../vendors/routes.ts'
import type { Pages } from '../vendors/store.ts'
import { errorAnswer } from './errors.ts'
import { listRoutes } from './list.ts'
import { entraSku, resourceOf, type StoredSubscription, type VendorFields } from './resource.ts'
import { apply, objectOf, whyNot } from './rules.ts'
import { guarded, type tokens } from './token.ts'

const SUBSCRIPTION = '/v1/customers/:customer/subscriptions/:subscription'

/**
 * Returns the calls of Partner Center that the console makes, and Entra's token endpoint. `accepts` makes a fault of a
 * PATCH that takes longer.
 */
export function microsoftRoutes(entra: ReturnType<typeof tokens>, showsAssigned: boolean) {
  const answered = new Map<string, Answer>()
  const accepted = new WeakSet<Call>()
  let isAccepting = false

  const patch: Extract<Route<VendorFields>, { kind: 'write' }>['handle'] = (call, store) => {
    const [id, subscription] = [String(call.headers['ms-requestid']), find(store, call)]
    const before = answered.get(id)
    if (before && !accepted.has(call)) return before
    if (!subscription) return errorAnswer(20002)
    const body = objectOf(call.text)
    // An accepted change is done in the end, independent of reads and writes since.
    const no = accepted.has(call) ? undefined : whyNot(call, subscription, body)
    const promise = { headers: { location: call.target.slice('/v1'.length) }, body: resourceOf(subscription) }
    let answer: Answer = no ?? { status: 202, ...promise }
    if (isAccepting && !no) {
      accepted.add(call)
      store.change(subscription.id, {}, { isPending: true })
    } else if (!no) answer = apply(store, subscription, body ?? {})
    answered.set(id, answer)
    return answer
  }

  /** Checks a slow PATCH immediately, and applies it later or, now and then, never. */
  const accepts =
    (isDone: boolean): VendorFault<Answer> =>
    async (stage) => {
      isAccepting = true
      const pendingAnswer = stage.act()
      isAccepting = false
      const answer = await pendingAnswer
      if (answer.status === 202 && isDone) stage.actLater()
      return answer
    }

  const routes: Route<VendorFields>[] = [
    ...listRoutes,
    {
      name: 'get',
      kind: 'read',
      method: 'GET',
      path: SUBSCRIPTION,
      handle(call, pages) {
        const subscription = find(pages, call)
        return subscription ? { status: 200, body: resourceOf(subscription) } : errorAnswer(20002)
      },
    },
    { name: 'patch', kind: 'write', method: 'PATCH', path: SUBSCRIPTION, handle: patch },
    {
      name: 'provisioningStatus',
      kind: 'read',
      method: 'GET',
      path: `${SUBSCRIPTION}/provisioningstatus`,
      handle(call, pages) {
        const subscription = find(pages, call)
        if (!subscription) return errorAnswer(20002)
        // In capitals, like the published example.
        const skuId = entraSku(subscription.skuId).toUpperCase()
        return { status: 200, body: { skuId, status: 'success', quantity: subscription.total } }
      },
    },
  ]
  const token: Route<VendorFields> = {
    name: 'token',
    kind: 'auth',
    method: 'POST',
    path: '/tenant/oauth2/v2.0/token',
    handle: entra.grant,
  }
  return { routes: [token, ...routes.map((route) => guarded(route, entra.knows, showsAssigned))], accepts }
}

function find(pages: Pages<VendorFields>, call: Call): StoredSubscription | undefined {
  const subscription = pages.find(call.subscriptionId ?? '')
  return subscription?.customerId === call.params.customer ? subscription : undefined
}
