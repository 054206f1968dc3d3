import { queriesOf } from '#lib/platform/api/client.ts'
import type * as needs from './needs/contract.ts'
import type * as recipients from './recipients/contract.ts'
import { needRoutes, recipientRoutes, webhookRoutes } from './routes.ts'
import type * as webhooks from './webhooks/contract.ts'

export const { listNeeds, dismissNeed, restoreNeed, readNeedsMail, setNeedsMail } =
  queriesOf<typeof needs>(needRoutes)

export const {
  listWebhooks,
  addWebhook,
  changeWebhook,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  readWebhookDelivery,
  repeatWebhookDelivery,
} = queriesOf<typeof webhooks>(webhookRoutes)

export const {
  listNoticeRecipients,
  addNoticeRecipient,
  changeNoticeRecipient,
  removeNoticeRecipient,
  resendConfirmation,
} = queriesOf<typeof recipients>(recipientRoutes)
