import 'server-only'
import type { OrderEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import type { DueMail } from './store.ts'

/** What whoever ordered something for a next term is told: that its time comes, or that it came to nothing. */
export function orderText(
  event: OrderEvent,
  { customer, about }: Pick<DueMail, 'customer' | 'about'>,
  baseUrl: string,
): { subject: string; lines: string[] } {
  const where = `${baseUrl}/assets/renewals`
  if (event === 'renewal-near') {
    return {
      subject: 'A plan renews soon, as it was ordered',
      lines: [
        `${about ?? ''}\nThat was ordered for the licenses of ${customer}.`,
        `If that is still right, there is nothing to do. Until that day it can be changed or taken back:\n${where}`,
      ],
    }
  }
  return {
    subject: 'An order for a renewal came to nothing',
    lines: [
      `${about ?? ''}\nThat had been ordered for the licenses of ${customer}.`,
      `Look at what the plan has now:\n${where}`,
    ],
  }
}

/** Whether it is about an order for a next term. */
export function isOfOrder(event: DueMail['event']): event is OrderEvent {
  return event === 'renewal-near' || event === 'renewal-not-done'
}
