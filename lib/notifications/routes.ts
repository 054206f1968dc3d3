import { routesOf } from '#lib/platform/api/call.ts'

export const needRoutes = routesOf({
  listNeeds: 'GET /billing/v1/needs',
  dismissNeed: 'PUT /billing/v1/needs/{need_id}/dismissal',
  restoreNeed: 'DELETE /billing/v1/needs/{need_id}/dismissal',
  readNeedsMail: 'GET /billing/v1/needs-mail',
  setNeedsMail: 'PUT /billing/v1/needs-mail',
})

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

export const recipientRoutes = routesOf({
  listNoticeRecipients: 'GET /billing/v1/notice-recipients',
  addNoticeRecipient: 'POST /billing/v1/billing-profiles/{billing_profile_id}/recipients',
  changeNoticeRecipient: 'PATCH /billing/v1/billing-profiles/{billing_profile_id}/recipients/{recipient_id}',
  removeNoticeRecipient: 'DELETE /billing/v1/billing-profiles/{billing_profile_id}/recipients/{recipient_id}',
  resendConfirmation:
    'POST /billing/v1/billing-profiles/{billing_profile_id}/recipients/{recipient_id}/confirmation',
})
