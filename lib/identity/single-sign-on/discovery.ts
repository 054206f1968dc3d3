import 'server-only'
import { inspect } from '#lib/identity/access/sign-on/issuer.ts'
import { checkIssuerAddress } from '#lib/identity/access/sign-on/outbound.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'

/**
 * Asks an issuer what it publishes, so that what can't work is not kept. What is told of a failure is one of a few sentences:
 * what stands in our own network is nobody's business.
 * @throws Problem `issuer_unfit`, which says what is wrong
 */
export async function checkIssuer(issuer: string): Promise<void> {
  const reason = await whyUnfit(issuer)
  if (reason === undefined) return
  throw new Problem('issuer_unfit', `The issuer ${reason}.`, {
    errors: [{ pointer: '/issuer', detail: reason }],
  })
}

async function whyUnfit(issuer: string): Promise<string | undefined> {
  if (!URL.canParse(issuer)) return 'is no web address'
  const { protocol, search, hash, username } = new URL(issuer)
  if (search || hash || username) return 'has more than an address and a path'
  try {
    checkIssuerAddress(issuer)
  } catch {
    return protocol === 'https:' ? NOWHERE : 'has to begin with https://'
  }
  try {
    await inspect(issuer)
    return undefined
  } catch (error) {
    log().info({ issuer, reason: reasonOf(error).slice(0, 300) }, 'an issuer was not taken')
    return reasonFor(error)
  }
}

const NOWHERE = 'has no address in the public internet'

/** What errors say in their code, name or text, and what that means to an Admin. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_\w+)$|private address/, NOWHERE],
  [/^(TimeoutError|AbortError)$|TIMEDOUT|TIMEOUT/, 'gives no answer'],
  [/^(ECONN|EHOST|ENET|EPIPE)/, 'can not be reached'],
  [/^(CERT|DEPTH|SELF_SIGNED|UNABLE|ERR_TLS|ERR_SSL|EPROTO)/, 'has no certificate that is trusted'],
  [
    /COMPARISON|calls itself/,
    'calls itself otherwise in its discovery document: compare them letter by letter, also “/” at the end',
  ],
  [/publishes no \w+/, 'publishes no addresses for sign-in, tokens and keys'],
  [/too many bytes/, 'answers with too much'],
]

function reasonFor(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, message, name } = at as Error & { code?: string }
    const found = REASONS.find(([sign]) => [code, name, message].some((text) => text && sign.test(text)))
    if (found) return found[1]
  }
  return 'has no discovery document at /.well-known/openid-configuration'
}
