import 'server-only'
import type { z } from 'zod'
import { PROBLEMS, type ProblemCode } from '../problem.ts'
import { MEMBERS } from '../problem-members.ts'
import { cellText } from './markdown.ts'

/** Advice for a client that gets a code. */
const ADVICE: Record<ProblemCode, string> = {
  invalid_request:
    'Correct the request: `errors` names each place that is wrong. The same request fails again.',
  filter_invalid: 'Correct `filter`: `detail` names the keys and values that it takes.',
  page_token_invalid:
    'Start again from the first page. A token belongs to one list, with its filters and its order.',
  unauthenticated:
    'Send `Authorization: Bearer` and a key that is active. If the key has worked before, it has expired, was revoked, or is used from an address that it is not limited to.',
  permission_denied:
    'Use a key with a role that has the permission in `permission`. The same key fails again.',
  fresh_sign_in_required:
    'Only a member who has signed in within ten minutes may do this. Do it in the console.',
  cross_origin: 'A browser session may write only from the console’s own pages. Use a key.',
  customer_closed:
    'Nothing can be changed any more; everything can be read until the day that `detail` names.',
  not_found: 'There is no such record, or it is another customer’s: the answer is the same. Check the id.',
  method_not_allowed: 'Use one of the methods in the header `Allow`.',
  request_timeout: 'Send the request faster, or again.',
  decrease_not_allowed:
    'Keep at least `minimum` licenses until `commitmentEndTime`. To have fewer in the next term, PUT the total to `renewal.url` by the day `renewal.decideBy`. Without `renewal`, the vendor takes no order for the next term.',
  subscription_not_active:
    'Wait until the vendor shows the subscription as ACTIVE again. `subscriptionStatus` says what it is now.',
  version_mismatch:
    'Someone changed the asset since you read it: `current` is the total now. Decide again, and send the new `etag` as If-Match.',
  change_in_progress:
    'Another change of this asset is under way. Wait for `Retry-After` seconds, and send the request again.',
  key_ended:
    'The key was revoked, has expired, or was rotated. Use the key that followed it, or issue another.',
  change_settled: 'The change has an outcome already, so there is nothing to acknowledge. Read it.',
  member_exists: 'Change the member with this address instead of inviting another.',
  last_admin: 'Give another member the role Admin first.',
  member_disabled: 'Enable the member first.',
  provider_exists: 'Choose another name.',
  last_way_in: 'Keep a way for at least one Admin to sign in.',
  domain_not_proven: 'Add the DNS record, wait until it is published, and check again.',
  domain_taken: 'Another customer has proven the domain. Ask your reseller if it is yours.',
  view_exists: 'Choose another name, or change the view that has it.',
  views_full: 'Remove a view first.',
  webhooks_full: 'Remove a webhook first.',
  recipient_exists: 'Change the address that is there instead of adding it.',
  recipients_full: 'Remove an address first.',
  invitation_accepted: 'The invitation can no longer be withdrawn. Disable the member instead.',
  member_changed: 'Someone changed the member since you read it. Read it, and decide again.',
  body_too_large: 'Send a smaller body: at most 16 KiB.',
  unsupported_media_type: 'Send the body as `Content-Type: application/json`.',
  quantity_not_supported: 'The asset has no licenses, so there is no total to set.',
  renewal_not_supported: 'GET the renewal: `takes` and `because` say what can be ordered.',
  not_comparable: 'Choose two invoices of one currency and one platform.',
  issuer_unfit: 'The identity provider’s settings cannot be used; `detail` says why.',
  idempotency_key_reused:
    'Use a new key for each new request. The same key is only for the same request again.',
  vendor_rejected:
    'The vendor refuses this total; `detail` gives its reason. The same total fails again until that changes.',
  rate_limited: 'Wait for `Retry-After` seconds, and send the same request again. Nothing was done.',
  headers_too_large: 'Send fewer or shorter headers.',
  internal_error:
    'Send the request again later. If it goes on, tell your reseller the request id in `instance`.',
  vendor_unavailable:
    'Nothing was changed. Wait for `Retry-After` seconds, and send the request again; with `because: no_access`, ask your reseller.',
  outcome_unknown:
    'The vendor may or may not have made the change. Do not send another total: send the same request with the same Idempotency-Key after `Retry-After` seconds, or read the change by `changeId`.',
  service_unavailable: 'Nothing was changed. Wait for `Retry-After` seconds, and send the request again.',
}

/** Returns the page of all error codes, in Markdown. */
export function errorsPage(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  const byStatus = codes.toSorted((one, other) => PROBLEMS[one].status - PROBLEMS[other].status)
  return [
    '# Errors',
    'Every refusal is a problem document (RFC 9457) with the content type `application/problem+json`. Decide by `code`: codes are stable, and the texts may change. Codes can be added, so treat an unknown code by its status.',
    [
      '| Member | Meaning |',
      '|---|---|',
      '| `type` | The address of the section below that describes the code. |',
      '| `title`, `status` | What the code means, and the HTTP status. |',
      '| `detail` | What happened this time, for people. |',
      '| `instance` | The request id, as in the header `Request-Id`. Tell it to your reseller when you ask about an error. |',
      '| `code` | The code, for programs. |',
      '| `error` | The same text as `detail`, for older clients. |',
      '| `errors` | Each place in the request that is wrong: `pointer` into the body or `parameter`, and `detail`. |',
    ].join('\n'),
    ...byStatus.flatMap(section),
  ].join('\n\n')
}

function section(code: ProblemCode): string[] {
  const { status, title } = PROBLEMS[code]
  return [
    `## \`${code}\` {#${code}}`,
    `Status ${status}. ${title}.`,
    ...memberTable(code),
    `**What to do:** ${ADVICE[code]}`,
  ]
}

/** Returns the table of the members that only this code has. */
function memberTable(code: ProblemCode): string[] {
  if (!(code in MEMBERS)) return []
  const { shape }: { shape: z.ZodRawShape } = MEMBERS[code as keyof typeof MEMBERS]
  const rows = Object.entries(shape).map(([name, type]) => {
    const member = type as z.ZodType
    const isOptional = member.safeParse(undefined).success
    return `| \`${name}\` | ${cellText(descriptionOf(member))}${isOptional ? ' Optional.' : ''} |`
  })
  return [['| Member | Meaning |', '|---|---|', ...rows].join('\n')]
}

function descriptionOf(member: z.ZodType): string {
  const inner = 'unwrap' in member ? (member.unwrap as () => z.ZodType)() : undefined
  return member.description ?? inner?.description ?? ''
}
