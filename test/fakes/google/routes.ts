import type { Answer, Call, Route } from '../vendors/routes.ts'
import type { Pages, Store } from '../vendors/store.ts'
import { errorAnswer } from './errors.ts'
import { page } from './list.ts'
import { changedResourceOf, type GoogleFields, resourceOf } from './resource.ts'
import { parseRenewal, parseTotal } from './rules.ts'
import { ORDER, ORDER_READONLY, type tokenEndpoint } from './token.ts'

const ROOT = '/apps/reseller/v1'
const ONE = `${ROOT}/customers/:customer/subscriptions/:subscription`

type Tokens = ReturnType<typeof tokenEndpoint>

/** Returns the calls of the API that the console makes, and the token endpoint. */
export function googleRoutes(tokens: Tokens): Route<GoogleFields>[] {
  const read = (name: string, path: string, answer: (call: Call, pages: Pages<GoogleFields>) => Answer) => ({
    name,
    method: 'GET',
    path,
    kind: 'read' as const,
    handle: (call: Call, pages: Pages<GoogleFields>) =>
      denialFor(tokens, call, [ORDER, ORDER_READONLY]) ?? grown(call, answer(call, pages)),
  })
  return [
    { name: 'token', method: 'POST', path: '/token', kind: 'auth', handle: tokens.exchange },
    read('get', ONE, (call, pages) => {
      const subscription = findIn(pages, call)
      return subscription ? { status: 200, body: resourceOf(subscription) } : missing()
    }),
    read('list', `${ROOT}/subscriptions`, ({ query }, pages) => page(query, pages)),
    {
      name: 'changeSeats',
      method: 'POST',
      path: `${ONE}/changeSeats`,
      kind: 'write',
      handle: (call, store) => denialFor(tokens, call, [ORDER]) ?? grown(call, changeSeats(call, store)),
    },
    {
      name: 'changeRenewalSettings',
      method: 'POST',
      path: `${ONE}/changeRenewalSettings`,
      kind: 'write',
      handle: (call, store) =>
        denialFor(tokens, call, [ORDER]) ?? grown(call, changeRenewalSettings(call, store)),
    },
  ]
}

function changeSeats(call: Call, store: Store<GoogleFields>): Answer {
  const subscription = findIn(store, call)
  if (!subscription) return missing()
  const parsed = parseTotal(subscription, call.text)
  if ('refused' in parsed) return parsed.refused
  store.setTotal(subscription.id, parsed.total, 'client')
  const id = subscription.vendorFields.moves ? `${subscription.id}-${call.number}` : subscription.id
  if (id !== subscription.id) store.change(subscription.id, { id })
  const changed = store.find(id)
  // The how-to documents 201, the description of the API only "success".
  return { status: call.number % 2 === 0 ? 200 : 201, body: changed && changedResourceOf(changed) }
}

function changeRenewalSettings(call: Call, store: Store<GoogleFields>): Answer {
  const subscription = findIn(store, call)
  if (!subscription) return missing()
  const parsed = parseRenewal(subscription, call.text)
  if ('refused' in parsed) return parsed.refused
  store.change(subscription.id, {}, { renewalType: parsed.renewalType })
  const changed = store.find(subscription.id)
  return { status: 200, body: changed && resourceOf(changed) }
}

function denialFor(tokens: Tokens, call: Call, scopes: string[]): Answer | undefined {
  const granted = tokens.scopesOf(call)
  if (!granted) return errorAnswer(401, 'authError', 'Invalid Credentials')
  if (scopes.some((scope) => granted.includes(scope))) return undefined
  return errorAnswer(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
}

/** Finds the subscription; the path may contain the customer's id or domain. */
function findIn(pages: Pages<GoogleFields>, { params }: Call) {
  const subscription = pages.find(params.subscription ?? '')
  return [subscription?.customerId, subscription?.vendorFields.customerDomain].includes(params.customer)
    ? subscription
    : undefined
}

function missing(): Answer {
  return errorAnswer(404, 'notFound', 'Subscription not found')
}

/** Adds an undescribed field to some responses, which a client has to tolerate. */
function grown(call: Call, answer: Answer): Answer {
  if (call.number % 3 !== 0 || typeof answer.body !== 'object') return answer
  return { ...answer, body: { ...answer.body, unseenBefore: { level: 1 } } }
}
