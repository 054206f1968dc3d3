import { queriesOf } from '#lib/platform/api/client.ts'
import type * as contract from './access/contract.ts'
import type * as queriesContract7 from './audit-events/contract.ts'
import type * as queriesContract6 from './directories/contract.ts'
import type * as queriesContract2 from './keys/contract.ts'
import type * as queriesContract from './members/contract.ts'
import {
  accessRoutes,
  auditEventRoutes,
  directoryRoutes,
  keyRoutes,
  memberRoutes,
  secondFactorRoutes,
  sessionRoutes,
  signOnRoutes,
} from './routes.ts'
import type * as queriesContract4 from './second-factors/contract.ts'
import type * as queriesContract3 from './sessions/contract.ts'
import type * as queriesContract5 from './single-sign-on/contract.ts'

export const { changePassword, readWays, proveSession, redeemLink, askRecovery } =
  queriesOf<typeof contract>(accessRoutes)

export const { listMembers, inviteMember, readMember, changeMember, makeMemberLink, withdrawInvitation } =
  queriesOf<typeof queriesContract>(memberRoutes)

export const { listKeys, issueKey, renameKey, rotateKey, revokeKey } =
  queriesOf<typeof queriesContract2>(keyRoutes)

export const { listSessions, endSession } = queriesOf<typeof queriesContract3>(sessionRoutes)

export const {
  listFactors,
  addFactor,
  beginFactor,
  removeFactor,
  renewCodes,
  askPasskey,
  confirmPasskey,
  readFactorDemand,
  demandFactor,
  resetFactors,
} = queriesOf<typeof queriesContract4>(secondFactorRoutes)

export const {
  readSignOn,
  addIdentityProvider,
  changeIdentityProvider,
  removeIdentityProvider,
  addSignOnDomain,
  checkSignOnDomain,
  removeSignOnDomain,
  setPasswordSignIn,
} = queriesOf<typeof queriesContract5>(signOnRoutes)

export const {
  readDirectory,
  issueDirectoryToken,
  revokeDirectoryToken,
  mapDirectoryGroup,
  unmapDirectoryGroup,
} = queriesOf<typeof queriesContract6>(directoryRoutes)

export const { listAuditEvents, exportAuditEvents, exportAuditEventsXlsx } =
  queriesOf<typeof queriesContract7>(auditEventRoutes)
