import { routesOf } from '#lib/platform/api/call.ts'

export const recipientRoutes = routesOf({
  listNoticeRecipients: 'GET /billing/v1/notice-recipients',
  addNoticeRecipient: 'POST /billing/v1/billing-profiles/{billing_profile_id}/recipients',
  changeNoticeRecipient: 'PATCH /billing/v1/billing-profiles/{billing_profile_id}/recipients/{recipient_id}',
  removeNoticeRecipient: 'DELETE /billing/v1/billing-profiles/{billing_profile_id}/recipients/{recipient_id}',
  resendConfirmation:
    'POST /billing/v1/billing-profiles/{billing_profile_id}/recipients/{recipient_id}/confirmation',
})
