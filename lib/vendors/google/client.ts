import 'server-only'
import type { Budget } from '../budget.ts'
import { type Client, segment, send } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import { isThrottled } from './errors.ts'
import type { Config } from './settings.ts'
import { ORDER, ORDER_READONLY, tokens } from './token.ts'

const ROOT = '/apps/reseller/v1'

/** The subscriptions of all customers. */
export const subscriptionsPath = `${ROOT}/subscriptions`

/** Calls the Reseller API, each once. Reads carry a token that may do nothing else. */
export function client({ url, ...credentials }: Config, budget: Budget): Client {
  const [writing, reading] = [tokens(credentials, ORDER), tokens(credentials, ORDER_READONLY)]
  return {
    call(call, signal) {
      const isRead = call.method === undefined || call.method === 'GET'
      const tokens = isRead ? reading : writing
      return send({ url, tokens, budget, headers: {}, isThrottled }, call, signal)
    },
  }
}

export function subscriptionPath({
  customerId,
  subscriptionId,
}: Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>): string {
  return `${ROOT}/customers/${segment(customerId)}/subscriptions/${segment(subscriptionId)}`
}
