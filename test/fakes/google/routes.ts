import type { Book, Pages } from '../vendors/book.ts'
import type { Answer, Call, Route } from '../vendors/routes.ts'
import { refusal } from './errors.ts'
import { page } from './list.ts'
import { changedResourceOf, type GoogleOwn, resourceOf } from './resource.ts'
import { askedRenewal, askedTotal } from './rules.ts'
import { ORDER, ORDER_READONLY, type tokenEndpoint } from './token.ts'

const ROOT = '/apps/reseller/v1'
const ONE = `${ROOT}/customers/:customer/subscriptions/:subscription`

type Tokens = ReturnType<typeof tokenEndpoint>

/** The calls of the API that the console makes, and the token endpoint. */
export function googleRoutes(tokens: Tokens): Route<GoogleOwn>[] {
  const read = (name: string, path: string, answer: (call: Call, books: Pages<GoogleOwn>) => Answer) => ({
    name,
    method: 'GET',
    path,
    kind: 'read' as const,
    handle: (call: Call, books: Pages<GoogleOwn>) =>
      refusedTo(tokens, call, [ORDER, ORDER_READONLY]) ?? grown(call, answer(call, books)),
  })
  return [
    { name: 'token', method: 'POST', path: '/token', kind: 'auth', handle: tokens.exchange },
    read('get', ONE, (call, books) => {
      const found = findIn(books, call)
      return found ? { status: 200, body: resourceOf(found) } : notFound()
    }),
    read('list', `${ROOT}/subscriptions`, ({ query }, books) => page(query, books)),
    {
      name: 'changeSeats',
      method: 'POST',
      path: `${ONE}/changeSeats`,
      kind: 'write',
      handle: (call, book) => refusedTo(tokens, call, [ORDER]) ?? grown(call, changeSeats(call, book)),
    },
    {
      name: 'changeRenewalSettings',
      method: 'POST',
      path: `${ONE}/changeRenewalSettings`,
      kind: 'write',
      handle: (call, book) =>
        refusedTo(tokens, call, [ORDER]) ?? grown(call, changeRenewalSettings(call, book)),
    },
  ]
}

function changeSeats(call: Call, book: Book<GoogleOwn>): Answer {
  const subscription = findIn(book, call)
  if (!subscription) return notFound()
  const asked = askedTotal(subscription, call.text)
  if ('refused' in asked) return asked.refused
  book.setTotal(subscription.id, asked.total, 'client')
  const id = subscription.own.moves ? `${subscription.id}-${call.number}` : subscription.id
  if (id !== subscription.id) book.change(subscription.id, { id })
  const changed = book.find(id)
  // The how-to says 201, the description of the API only "success".
  return { status: call.number % 2 === 0 ? 200 : 201, body: changed && changedResourceOf(changed) }
}

function changeRenewalSettings(call: Call, book: Book<GoogleOwn>): Answer {
  const subscription = findIn(book, call)
  if (!subscription) return notFound()
  const asked = askedRenewal(subscription, call.text)
  if ('refused' in asked) return asked.refused
  book.change(subscription.id, {}, { renewalType: asked.renewalType })
  const changed = book.find(subscription.id)
  return { status: 200, body: changed && resourceOf(changed) }
}

function refusedTo(tokens: Tokens, call: Call, scopes: string[]): Answer | undefined {
  const held = tokens.scopesOf(call)
  if (!held) return refusal(401, 'authError', 'Invalid Credentials')
  if (scopes.some((scope) => held.includes(scope))) return undefined
  return refusal(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
}

/** The customer may be named by id or by domain. */
function findIn(books: Pages<GoogleOwn>, { params }: Call) {
  const found = books.find(params.subscription ?? '')
  return [found?.customerId, found?.own.customerDomain].includes(params.customer) ? found : undefined
}

function notFound(): Answer {
  return refusal(404, 'notFound', 'Subscription not found')
}

/** What a client has to put up with: now and then an answer has a field that nobody has described. */
function grown(call: Call, answer: Answer): Answer {
  if (call.number % 3 !== 0 || typeof answer.body !== 'object') return answer
  return { ...answer, body: { ...answer.body, unseenBefore: { level: 1 } } }
}
