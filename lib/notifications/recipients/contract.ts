import { z } from 'zod'
import { NOTICES } from '#lib/notifications/notices/rules.ts'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import * as examples from './examples.ts'
import { recipientRoutes } from './routes.ts'
import {
  CONFIRMATION_DAYS,
  MAX_RECIPIENTS,
  MAX_REQUESTS_OF_ADDRESS,
  MAX_REQUESTS_OF_PROFILE,
  RECIPIENT_STATES,
} from './rules.ts'

const time = (what: string) => z.int().meta({ description: `Epoch time in milliseconds of ${what}.` })
const Notices = z.array(z.enum(NOTICES))
const NOTICES_TEXT = '`new`: new invoices. `due`: due within 7 days. `past-due`: past due, and reminders.'
const ATTACHED = 'Whether mails about new invoices have their PDFs attached, 10 files and 7 MB at most.'

const NoticeRecipient = z
  .object({
    id: z.string().meta({ description: 'Names the address. It has the same id for each billing profile.' }),
    billingProfileId: z.string().meta({ description: 'The billing profile whose invoices it is mailed.' }),
    email: z.string().meta({ description: 'The address.' }),
    notices: Notices.meta({ description: NOTICES_TEXT }),
    attachesPdf: z.boolean().meta({ description: ATTACHED }),
    state: z.enum(RECIPIENT_STATES).meta({
      description:
        '`pending`: asked to confirm. `expired`: not confirmed in time. `declined`: its owner refused. `active`: gets its notices. `stopped`: its owner unsubscribed. `refused`: the mail server rejected it permanently (a bounce). Only an `active` address is mailed notices.',
    }),
    stopped: Notices.meta({ description: 'Notices that the owner of the address unsubscribed from.' }),
    reason: z.string().optional().meta({
      description: 'Answer of the mail server that refused the address. Absent in other states.',
    }),
    requestedBy: z.string().optional().meta({
      description: 'Member who requested it. Absent of an address that your provider set.',
    }),
    createTime: time('the request, or of when the notices were set up'),
    expireTime: time('when the confirmation link expires').optional(),
  })
  .meta({ id: 'NoticeRecipient', description: 'An address that is mailed invoices of a billing profile.' })

export type NoticeRecipient = z.output<typeof NoticeRecipient>

const notices = Notices.min(1, 'must name at least one kind')
  .max(10, 'has too many entries')
  .meta({ description: NOTICES_TEXT })
const attachesPdf = z.boolean().meta({ description: ATTACHED })

const NewRecipient = z
  .strictObject({
    email: z.email('is not an email address').max(254, 'is too long').meta({ description: 'The address.' }),
    notices,
    attachesPdf: attachesPdf.default(false),
  })
  .meta({ id: 'NewNoticeRecipient', description: 'An address, and what it is to be mailed.' })

const RecipientChange = z
  .strictObject({ notices: notices.optional(), attachesPdf: attachesPdf.optional() })
  .refine((change) => Object.keys(change).length > 0, 'must name what is to change')
  .meta({ id: 'NoticeRecipientChange', description: 'What is to change; what is not named stays.' })

const profile = z.string().min(1).max(300).meta({ description: 'The `id` of a billing profile.' })
const profileParams = z.object({ billing_profile_id: profile })
const params = z.object({
  billing_profile_id: profile,
  recipient_id: z.string().min(1).max(100).meta({ description: 'The `id` of an address.' }),
})

const permission = 'members-manager'
const VISIBLE = 'A billing profile that the caller may not see is 404.'
const PERSON =
  'It requires a signed-in member who has proven who they are within 10 minutes: else 403 `fresh_sign_in_required`. An API key is 403.'
const LIMITS = `A billing profile can have ${MAX_RECIPIENTS} addresses; one more is 409 \`recipients_full\`. Within 24 hours, an address gets up to ${MAX_REQUESTS_OF_ADDRESS} requests, and a billing profile sends up to ${MAX_REQUESTS_OF_PROFILE}; one more is 429.`

export const listNoticeRecipients = contract({
  ...recipientRoutes.listNoticeRecipients,
  summary: 'List the addresses that receive invoice emails, by billing profile and address',
  permission,
  description:
    'Of the billing profiles that the caller may see; also addresses that the provider set. All of them: a billing profile has few.',
  output: z
    .object({
      recipients: z.array(NoticeRecipient).meta({ description: 'By billing profile and address.' }),
      rowCount: z.int().min(0).meta({ description: 'How many they are.' }),
      isPossible: z.boolean().meta({
        description: 'Whether this console sends mails at all. If not, requests wait and expire.',
      }),
    })
    .meta({ id: 'NoticeRecipientList', description: 'Addresses that receive invoice emails.' }),
  examples: examples.listNoticeRecipients,
})

/** Asks an address to confirm that it gets notices. An addition to the specified API. */
export const addNoticeRecipient = contract({
  ...recipientRoutes.addNoticeRecipient,
  summary: 'Ask an address to confirm that it gets notices of a billing profile',
  permission,
  description: `The address is mailed a link, which works once, within ${CONFIRMATION_DAYS} days, and until the member who asked is no Admin of this billing profile any more. Nothing else is mailed before it is confirmed. A new request replaces an open one. Confirming ends a bounce and restarts notices that were stopped. An address that is active is 409 \`recipient_exists\`: change it. ${LIMITS} ${VISIBLE} ${PERSON}`,
  params: profileParams,
  body: NewRecipient,
  output: NoticeRecipient,
  problems: ['recipient_exists', 'recipients_full', 'fresh_sign_in_required', 'rate_limited'],
  examples: examples.addNoticeRecipient,
})

export const changeNoticeRecipient = contract({
  ...recipientRoutes.changeNoticeRecipient,
  summary: 'Change what an address is mailed of a billing profile',
  permission,
  description: `What is named changes, from the next mail on. It restarts nothing that the address has stopped. ${VISIBLE} ${PERSON}`,
  params,
  body: RecipientChange,
  output: NoticeRecipient,
  problems: ['fresh_sign_in_required'],
  examples: examples.changeNoticeRecipient,
})

export const removeNoticeRecipient = contract({
  ...recipientRoutes.removeNoticeRecipient,
  summary: 'End the notices of a billing profile to an address',
  permission,
  description: `From the next mail on; an open link no longer works. Its notices of other billing profiles go on. ${VISIBLE} A signed-in member must have proven who they are within 10 minutes: else 403 \`fresh_sign_in_required\`.`,
  params,
  body: emptyBody,
  output: z
    .object({ removed: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'NoticeRecipientRemoved', description: 'The address gets no more notices of it.' }),
  problems: ['fresh_sign_in_required'],
  examples: examples.removeNoticeRecipient,
})

export const resendConfirmation = contract({
  ...recipientRoutes.resendConfirmation,
  summary: 'Ask an address again to confirm its notices',
  permission,
  description: `Mails another link, and the former one no longer works. For an address that has not confirmed, has declined, unsubscribed or bounced; an active one is 409 \`recipient_exists\`. ${LIMITS} ${VISIBLE} ${PERSON}`,
  params,
  body: emptyBody,
  output: NoticeRecipient,
  problems: ['recipient_exists', 'fresh_sign_in_required', 'rate_limited'],
  examples: examples.resendConfirmation,
})
