import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Budget } from '../budget.ts'
import { type Client, segment, send } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import type { Config } from './settings.ts'
import { tokens } from './token.ts'

/** The customers of the reseller. */
export const customersPath = '/v1/customers'

/** Calls Partner Center, each once: a throttled vendor counts repeats against the caller. */
export function client({ url, ...credentials }: Config, budget: Budget): Client {
  const access = { url, tokens: tokens(credentials), budget, secrets: [credentials.clientSecret] }
  return {
    async call(call, signal) {
      const correlationId = randomUUID()
      const headers = {
        'MS-Contract-Version': 'v1',
        // A repeat after a lost answer gets the first one's answer.
        'MS-RequestId': call.requestId ?? randomUUID(),
        'MS-CorrelationId': correlationId,
      }
      return { ...(await send({ ...access, headers }, call, signal)), correlationId }
    },
  }
}

export function subscriptionPath({
  customerId,
  subscriptionId,
}: Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>): string {
  return `${customerPath(customerId)}/subscriptions/${segment(subscriptionId)}`
}

export function customerPath(customerId: string): string {
  return `${customersPath}/${segment(customerId)}`
}
