import * as prices from '#lib/costs/license-prices/contract.ts'
import * as access from '#lib/identity/access/contract.ts'
import * as directories from '#lib/identity/directories/contract.ts'
import * as keys from '#lib/identity/keys/contract.ts'
import * as members from '#lib/identity/members/contract.ts'
import * as factors from '#lib/identity/second-factors/contract.ts'
import * as sessions from '#lib/identity/sessions/contract.ts'
import * as signOn from '#lib/identity/single-sign-on/contract.ts'
import * as webhooks from '#lib/notifications/webhooks/contract.ts'
import type { Group } from '#lib/platform/api/openapi/document.ts'

/** Tags of the OpenAPI document for members, their credentials and their sessions. */
export const people: readonly Group[] = [
  {
    tag: 'Members',
    description: 'Who may sign in to the console, what they may do, and what they see.',
    contracts: [
      members.listMembers,
      members.inviteMember,
      members.readMember,
      members.changeMember,
      members.makeMemberLink,
      members.withdrawInvitation,
      prices.readPriceVisibility,
      prices.setPriceVisibility,
      factors.readFactorDemand,
      factors.demandFactor,
      factors.resetFactors,
    ],
  },
  {
    tag: 'Single sign-on',
    description: 'Identity providers at which members sign in, domains of their addresses, and passwords.',
    contracts: [
      signOn.readSignOn,
      signOn.addIdentityProvider,
      signOn.changeIdentityProvider,
      signOn.removeIdentityProvider,
      signOn.addSignOnDomain,
      signOn.checkSignOnDomain,
      signOn.removeSignOnDomain,
      signOn.setPasswordSignIn,
    ],
  },
  {
    tag: 'Directory',
    description: 'What lets a directory manage members by SCIM 2.0, and what its groups give.',
    contracts: [
      directories.readDirectory,
      directories.issueDirectoryToken,
      directories.revokeDirectoryToken,
      directories.mapDirectoryGroup,
      directories.unmapDirectoryGroup,
    ],
  },
  {
    tag: 'Webhooks',
    description: 'Addresses to which events are sent, their deliveries, and their secrets.',
    contracts: [
      webhooks.listWebhooks,
      webhooks.addWebhook,
      webhooks.readWebhook,
      webhooks.changeWebhook,
      webhooks.removeWebhook,
      webhooks.rotateWebhookSecret,
      webhooks.testWebhook,
      webhooks.listWebhookDeliveries,
      webhooks.readWebhookDelivery,
      webhooks.repeatWebhookDelivery,
    ],
  },
  {
    tag: 'Keys',
    description: 'API keys: what each opens, who uses it, and how another one comes into its place.',
    contracts: [keys.listKeys, keys.issueKey, keys.readKey, keys.renameKey, keys.rotateKey, keys.revokeKey],
  },
  {
    tag: 'Access',
    description: 'Who is calling, and who is signed in to the console.',
    contracts: [access.validateKey, sessions.listSessions, sessions.endSession],
  },
]
