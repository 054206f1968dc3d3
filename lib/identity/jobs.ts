import 'server-only'
import type { BackgroundWork } from '#lib/platform/db/background.ts'
import { pruneChallenges } from './access/factors/passkeys.ts'
import { pruneRecoveries } from './access/links/recoveries.ts'
import { pruneLinks } from './access/links/store.ts'
import { memberPeople } from './access/people/backfill.ts'
import { pruneBrowsers } from './access/sign-ins/browsers.ts'
import { prunePending } from './access/sign-ins/pending.ts'
import { pruneBudgets } from './access/sign-ins/throttling.ts'
import { prunePendingSignOns } from './access/sign-on/code-flow.ts'
import { recheckDomains } from './access/sign-on/domains.ts'
import { pruneLogouts } from './access/sign-on/logout.ts'
import { adoptMails, pruneAdopted } from './account-mails/adopt.ts'
import { MEMBER_MAILS } from './account-mails/kinds.ts'
import { notifyOfExpiry } from './keys/mails.ts'

export const identityWork: BackgroundWork = {
  jobs: [
    // Named as in the previous release, whose processes may still run it.
    { name: 'tell-members', cron: '* * * * *', run: adoptMails },
    { name: 'tell-of-ending-keys', cron: '17 * * * *', run: notifyOfExpiry },
    // Each domain once a day: a domain whose DNS gave no answer is checked again in the next hour.
    { name: 'recheck-domains', cron: '29 * * * *', run: recheckDomains },
  ],
  mails: MEMBER_MAILS,
  prune: [pruneBrowsers, pruneAdopted, pruneLinks],
  // Unfinished sign-ins, and their counters and challenges.
  pruneAnonymous: [
    pruneBudgets,
    prunePending,
    pruneRecoveries,
    pruneChallenges,
    prunePendingSignOns,
    pruneLogouts,
  ],
  backfills: [memberPeople],
}
