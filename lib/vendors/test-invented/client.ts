import 'server-only'
import { type Client, segment, send } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import type { Config } from './settings.ts'
import { tokens } from './token.ts'

export function client({ url, key }: Config): Client {
  const access = { url, tokens: tokens({ key }), headers: {} }
  return { call: (call, signal) => send(access, call, signal) }
}

export function subscriptionPath({
  customerId,
  subscriptionId,
}: Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>): string {
  return `/accounts/${segment(customerId)}/subscriptions/${segment(subscriptionId)}`
}
