import { queriesOf } from '#lib/platform/api/client.ts'
import type * as contract from './contract.ts'
import { recipientRoutes } from './routes.ts'

export const {
  listNoticeRecipients,
  addNoticeRecipient,
  changeNoticeRecipient,
  removeNoticeRecipient,
  resendConfirmation,
} = queriesOf<typeof contract>(recipientRoutes)
