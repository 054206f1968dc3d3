import { queriesOf } from '#lib/platform/api/client.ts'
import type * as contract from './contract.ts'
import { webhookRoutes } from './routes.ts'

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
} = queriesOf<typeof contract>(webhookRoutes)
