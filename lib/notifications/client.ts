import { queriesOf } from '#lib/platform/api/client.ts'
import type * as needs from './needs/contract.ts'
import type * as recipients from './recipients/contract.ts'
import { needRoutes, recipientRoutes } from './routes.ts'

export const { listNeeds, dismissNeed, restoreNeed, readNeedsMail, setNeedsMail } =
  queriesOf<typeof needs>(needRoutes)

export const {
  listNoticeRecipients,
  addNoticeRecipient,
  changeNoticeRecipient,
  removeNoticeRecipient,
  resendConfirmation,
} = queriesOf<typeof recipients>(recipientRoutes)
