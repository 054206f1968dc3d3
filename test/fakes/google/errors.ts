import type { Stage, VendorFault } from '../vendors/faults.ts'
import type { Answer } from '../vendors/routes.ts'

// Google's error responses, and the failures that only Google has.

const HUGE = 8 * 1024 * 1024

/** Returns Google's envelope of an error. Google documents status and reason; the messages are invented. */
export function errorAnswer(status: number, reason: string, message: string): Answer {
  const errors = [{ domain: 'global', reason, message }]
  return { status, body: { error: { code: status, message, errors } } }
}

/** Returns an error page of a proxy in between, not of Google. */
export function html(status: number): Answer {
  const headers = { 'content-type': 'text/html; charset=UTF-8' }
  return { status, headers, body: '<!DOCTYPE html><title>Error</title><p>Something else</p>' }
}

/** Faults with Google's error responses, or with nothing of Google's. */
export const VENDOR_FAULTS: Record<string, VendorFault<Answer>> = {
  'daily-limit': () => errorAnswer(403, 'dailyLimitExceeded', 'Daily Limit Exceeded'),
  'api-off': () => errorAnswer(403, 'accessNotConfigured', 'The API is not enabled for your project'),
  forbidden: () => errorAnswer(403, 'forbidden', 'Not authorized to access the customer'),
  terms: () => errorAnswer(412, 'conditionNotMet', 'The customer has not accepted the terms of service'),
  'token-expired': () => errorAnswer(401, 'authError', 'Invalid Credentials'),
  'not-found': () => errorAnswer(404, 'notFound', 'Subscription not found'),
  /** Response of a proxy between the client and Google. */
  proxy: () => html(403),
  'proxy-404': () => html(404),
  /** Does the write, and responds with another subscription, as if two responses had been mixed up. */
  'another-customer': (stage) =>
    answeredAs(stage, { customerId: 'C9999999', customerDomain: 'other.example', subscriptionId: 's-9' }),
  'another-sku': (stage) => answeredAs(stage, { skuId: '1010060001' }),
  redirect: () => ({ status: 302, headers: { location: 'https://accounts.google.com/' }, body: '' }),
  'no-json': async (stage) => {
    await stage.act()
    return html(200)
  },
  /** Responds as if the write had been done, but does nothing. */
  'other-seats': () => {
    const seats = { kind: 'subscriptions#seats', numberOfSeats: 1, maximumNumberOfSeats: 1 }
    return { status: 200, body: { kind: 'reseller#subscription', seats } }
  },
  huge: async (stage) => {
    await stage.act()
    return { status: 200, body: `{"padding":"${'x'.repeat(HUGE)}"}` }
  },
}

/** Does the write, and puts another subscription's fields into each subscription of the response. */
async function answeredAs(stage: Stage<Answer>, another: Record<string, string>): Promise<Answer> {
  const answer = await stage.act()
  const body = answer.body as { subscriptions?: object[] }
  const mixed = body.subscriptions
    ? { ...body, subscriptions: body.subscriptions.map((one) => ({ ...one, ...another })) }
    : { ...body, ...another }
  return { ...answer, body: mixed }
}
