import 'server-only'
import type { Budget } from '../budgets.ts'
import { type Client, segment, send, type Tokens } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import type { Config } from './settings.ts'

export function client({ url, key }: Config, budget: Budget): Client {
  const access = { url, tokens: tokens({ key }), budget }
  return {
    call({ requestId, ...call }, signal) {
      // A repeat with the same change id returns the first answer.
      const headers: Record<string, string> = requestId === undefined ? {} : { 'x-change': requestId }
      return send({ ...access, headers }, call, signal)
    },
  }
}

export function subscriptionPath({
  customerId,
  subscriptionId,
}: Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>): string {
  return `/accounts/${segment(customerId)}/subscriptions/${segment(subscriptionId)}`
}

/** Paperclip's API key serves as token. */
function tokens({ key }: Pick<Config, 'key'>): Tokens {
  return {
    token: async () => ({ kind: 'token', value: key }),
    drop() {},
  }
}
