import { routesOf } from '#lib/platform/api/call.ts'

export const webhookRoutes = routesOf({
  listWebhooks: 'GET /billing/v1/webhooks',
  addWebhook: 'POST /billing/v1/webhooks',
  readWebhook: 'GET /billing/v1/webhooks/{webhook_id}',
  changeWebhook: 'PATCH /billing/v1/webhooks/{webhook_id}',
  removeWebhook: 'DELETE /billing/v1/webhooks/{webhook_id}',
  rotateWebhookSecret: 'POST /billing/v1/webhooks/{webhook_id}/secret',
  testWebhook: 'POST /billing/v1/webhooks/{webhook_id}/test',
  listWebhookDeliveries: 'GET /billing/v1/webhooks/{webhook_id}/deliveries',
  readWebhookDelivery: 'GET /billing/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
  repeatWebhookDelivery: 'POST /billing/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/repetition',
})
