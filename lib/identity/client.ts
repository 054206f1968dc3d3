import { queriesOf } from '#lib/platform/api/client.ts'
import type * as access from './access/contract.ts'
import type * as auditEvents from './audit-events/contract.ts'
import type * as directories from './directories/contract.ts'
import type * as keys from './keys/contract.ts'
import type * as members from './members/contract.ts'
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
import type * as secondFactors from './second-factors/contract.ts'
import type * as sessions from './sessions/contract.ts'
import type * as signOn from './single-sign-on/contract.ts'

export const { changePassword, readWays, proveSession, redeemLink, askRecovery } =
  queriesOf<typeof access>(accessRoutes)

export const { listMembers, inviteMember, readMember, changeMember, makeMemberLink, withdrawInvitation } =
  queriesOf<typeof members>(memberRoutes)

export const { listKeys, issueKey, renameKey, rotateKey, revokeKey } = queriesOf<typeof keys>(keyRoutes)

export const { listSessions, endSession } = queriesOf<typeof sessions>(sessionRoutes)

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
} = queriesOf<typeof secondFactors>(secondFactorRoutes)

export const {
  readSignOn,
  addIdentityProvider,
  changeIdentityProvider,
  removeIdentityProvider,
  addSignOnDomain,
  checkSignOnDomain,
  removeSignOnDomain,
  setPasswordSignIn,
} = queriesOf<typeof signOn>(signOnRoutes)

export const {
  readDirectory,
  issueDirectoryToken,
  revokeDirectoryToken,
  mapDirectoryGroup,
  unmapDirectoryGroup,
} = queriesOf<typeof directories>(directoryRoutes)

export const { listAuditEvents, exportAuditEvents, exportAuditEventsXlsx } =
  queriesOf<typeof auditEvents>(auditEventRoutes)
