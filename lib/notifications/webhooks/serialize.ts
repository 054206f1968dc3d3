import type { DeliveryDetails, DeliveryListItem, Webhook } from './contract.ts'
import type { Attempt, DeliveryRow, WebhookRow } from './store.ts'

/** Times are epoch milliseconds. */
const timeOf = (at: string) => new Date(at).getTime()

export function serializeWebhook(row: WebhookRow): Webhook {
  const { id, name, url, kinds, billingProfiles, status, ownerName, formerUntil, failingSince, createdAt } =
    row
  return {
    ...{ id, name, url, status },
    ...(kinds ? { kinds } : {}),
    ...(billingProfiles ? { billingProfiles } : {}),
    ...(ownerName === null ? {} : { admin: ownerName }),
    waiting: row.waiting,
    createTime: timeOf(createdAt),
    ...(failingSince ? { failingSince: timeOf(failingSince) } : {}),
    ...(formerUntil ? { formerSecretUntil: timeOf(formerUntil) } : {}),
  }
}

export function serializeDelivery(row: DeliveryRow): DeliveryListItem {
  const { id, content, state, attempts, reason, createdAt, endedAt, nextAt, lastStatus } = row
  return {
    ...{ id, event: content.event, kind: content.kind, state, attempts },
    createTime: timeOf(createdAt),
    ...(lastStatus === null ? {} : { lastStatus }),
    ...(reason === null ? {} : { reason }),
    ...(endedAt ? { endTime: timeOf(endedAt) } : {}),
    ...(nextAt ? { nextAttemptTime: timeOf(nextAt) } : {}),
  }
}

export function serializeDetails(
  row: DeliveryRow,
  body: string,
  attempts: readonly Attempt[],
): DeliveryDetails {
  return {
    ...serializeDelivery(row),
    request: body,
    calls: attempts.map(({ number, at, tookMs, url, status, response, reason }) => ({
      ...{ number, url, time: timeOf(at), duration: tookMs },
      ...(status === null ? {} : { status }),
      ...(response === null ? {} : { response }),
      ...(reason === null ? {} : { reason }),
    })),
  }
}
