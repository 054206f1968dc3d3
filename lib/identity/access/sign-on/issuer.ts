import 'server-only'
import * as oidc from 'openid-client'
import { Problem } from '#lib/platform/api/problem.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { checkIssuerAddress, checkIssuerHost, fetchIssuer } from './outbound.ts'

/** Credentials of this client at an issuer. */
export type Client = { issuer: string; clientId: string; clientSecret: string }

/** Lifetime of an issuer's cached metadata, in milliseconds. For its keys see `remember`. */
const CACHE_MS = 10 * 60 * 1000
/**
 * Time for which a failed discovery is not repeated, in milliseconds: otherwise each sign-in would wait for the timeout
 * of a provider that is down.
 */
export const FAILURE_MS = 10_000
/** Time after a failure for which sign-ins do not wait for a running discovery either, in milliseconds. */
const RUNNING_FAILURE_MS = 60_000
/** Timeout of one request, in seconds. */
const TIMEOUT_SECONDS = 5

/** Tolerated difference between an issuer's clock and that of this machine, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 30

type Published = { metadata: oidc.ServerMetadata; at: number; keys?: oidc.ExportedJWKSCache | undefined }

/** Cache by issuer; contains nothing secret or of a single customer. */
const published = new Map<string, Published>()
/** Running discovery by issuer, which concurrent sign-ins share. */
const running = new Map<string, Promise<oidc.ServerMetadata>>()
/** Last failed discovery by issuer, until one succeeds. */
const failures = new Map<string, { error: unknown; at: number }>()

/**
 * Returns the configuration of openid-client for an issuer. Signatures of ID tokens are always verified, even though
 * they arrive by TLS.
 * @throws Error with the reason why the issuer does not answer or is invalid
 */
export async function configurationOf(client: Client): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = client
  const { metadata, keys } = await publishedBy(issuer)
  const isBasic = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post') === false
  const clientAuth = isBasic ? oidc.ClientSecretBasic(clientSecret) : oidc.ClientSecretPost(clientSecret)
  const settings = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const configuration = new oidc.Configuration(metadata, clientId, settings, clientAuth)
  configuration.timeout = TIMEOUT_SECONDS
  configuration[oidc.customFetch] = fetchIssuer
  // outbound.ts decides which addresses may be called without TLS.
  oidc.allowInsecureRequests(configuration)
  oidc.enableNonRepudiationChecks(configuration)
  if (keys) oidc.setJwksCache(configuration, keys)
  return configuration
}

/**
 * Caches the signing keys of an issuer after a token exchange. openid-client reloads them after five minutes, and after
 * one minute for an unknown key.
 */
export function remember(issuer: string, configuration: oidc.Configuration): void {
  const cached = published.get(issuer)
  if (cached) cached.keys = oidc.getJwksCache(configuration)
}

/**
 * Discovers the metadata of an issuer, bypassing the cache, the last failure and a running discovery.
 * @throws Error with the reason of a failure
 */
export async function inspect(issuer: string): Promise<oidc.ServerMetadata> {
  published.delete(issuer)
  failures.delete(issuer)
  return (await cacheDiscovery(issuer)).metadata
}

async function publishedBy(issuer: string): Promise<Published> {
  const cached = published.get(issuer)
  if (cached && cached.at > Date.now() - CACHE_MS) return cached
  const discovery = running.get(issuer)
  const failure = failures.get(issuer)
  // After a failure a single sign-in waits for the next discovery, and the others fail until it succeeds. A failure in the
  // future is one before the clock was set back.
  const age = failure ? Math.abs(Date.now() - failure.at) : Number.POSITIVE_INFINITY
  if (age < (discovery ? RUNNING_FAILURE_MS : FAILURE_MS)) throw failure?.error
  if (discovery) return { metadata: await discovery, at: Date.now(), keys: cached?.keys }
  const remembered = (error: unknown) => failures.set(issuer, { error, at: Date.now() })
  return cacheDiscovery(issuer, remembered)
}

async function cacheDiscovery(issuer: string, onFailure?: (error: unknown) => void): Promise<Published> {
  const { keys } = published.get(issuer) ?? {}
  const discovery = discover(issuer)
  running.set(issuer, discovery)
  // An Admin may have started another one.
  const isLatest = () => running.get(issuer) === discovery
  try {
    const entry = { metadata: await discovery, at: Date.now(), keys }
    if (isLatest()) {
      published.set(issuer, entry)
      failures.delete(issuer)
    }
    return entry
  } catch (error) {
    if (isLatest()) onFailure?.(error)
    throw error
  } finally {
    if (isLatest()) running.delete(issuer)
  }
}

async function discover(issuer: string): Promise<oidc.ServerMetadata> {
  checkIssuerAddress(issuer)
  const options = {
    [oidc.customFetch]: fetchIssuer,
    timeout: TIMEOUT_SECONDS,
    execute: [oidc.allowInsecureRequests],
  }
  const metadata = (
    await oidc.discovery(new URL(issuer), 'nobody', undefined, undefined, options)
  ).serverMetadata()
  // A multi-tenant template, for example, would speak for all of its tenants.
  if (metadata.issuer !== issuer) throw new Error(`${issuer} calls itself ${metadata.issuer}.`)
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (checkPublished(metadata, name) === undefined) throw new Error(`${issuer} publishes no ${name}.`)
  return metadata
}

/** Addresses of the metadata that this server calls itself. */
const CALLED = ['token_endpoint', 'jwks_uri', 'userinfo_endpoint']

/** Checks an address of the metadata, if it is there, and returns it. @throws Error where it is not https and public */
function checkPublished(metadata: oidc.ServerMetadata, name: string): string | undefined {
  const address = metadata[name]
  if (address === undefined) return undefined
  if (typeof address !== 'string' || !URL.canParse(address)) throw new Error(`${name} is no web address.`)
  checkIssuerAddress(address)
  return address
}

/**
 * Discovers the metadata of an issuer like `inspect`, and checks every endpoint, also unused ones: an issuer that
 * publishes a script or an address of an internal network is not to be trusted with sign-ins.
 * @throws Error with the reason
 */
export async function inspectEndpoints(issuer: string): Promise<oidc.ServerMetadata> {
  const metadata = await inspect(issuer)
  for (const name of Object.keys(metadata).filter((one) => one.endsWith('_endpoint') || one === 'jwks_uri')) {
    const address = checkPublished(metadata, name)
    if (address !== undefined && CALLED.includes(name)) await checkIssuerHost(address)
  }
  return metadata
}

/**
 * Discovers an issuer's metadata, so that an unusable issuer is not stored. Errors are reduced to a few fixed
 * sentences, so that they reveal nothing of our own network (SSRF probing).
 * @throws Problem `issuer_unfit` with the reason
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
    await inspectEndpoints(issuer)
    return undefined
  } catch (error) {
    log().info({ issuer, reason: reasonOf(error).slice(0, 300) }, 'an issuer was not taken')
    return reasonFor(error)
  }
}

const NOWHERE = 'has no address in the public internet'

/** Patterns for the code, name or message of an error, each with the sentence for an Admin. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/(private|public) address/, NOWHERE],
  [/^(TimeoutError|AbortError)$|TIMEDOUT|TIMEOUT|looked up/, 'gives no answer'],
  [/^(ECONN|EHOST|ENET|EPIPE)/, 'cannot be reached'],
  [/^(CERT|DEPTH|SELF_SIGNED|UNABLE|ERR_TLS|ERR_SSL|EPROTO)/, 'has no certificate that is trusted'],
  [
    /COMPARISON|calls itself/,
    'calls itself otherwise in its discovery document: compare them letter by letter, also “/” at the end',
  ],
  [/by https|is no web address/, 'publishes an address that does not begin with https://'],
  [/publishes no \w+/, 'publishes no addresses for sign-in, tokens and keys'],
  [/too many bytes/, 'answers with too much'],
]

function reasonFor(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, message, name } = at as Error & { code?: string }
    const match = REASONS.find(([sign]) => [code, name, message].some((text) => text && sign.test(text)))
    if (match) return match[1]
  }
  return 'has no discovery document at /.well-known/openid-configuration'
}
