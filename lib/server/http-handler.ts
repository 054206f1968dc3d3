import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { PROBLEM_TYPE, Problem } from '#lib/platform/api/problem.ts'
import { problemText } from '#lib/platform/api/protocol.ts'
import {
  log,
  logFailure,
  measured,
  requestContext,
  requestLogFields,
  runWithRequestContext,
  secondsSince,
} from '#lib/platform/runtime/log.ts'
import { type Admission, type AdmittedClient, clientAddress } from './admission/admission.ts'
import type { Api } from './api.ts'
import { carriesBody, closeUnread } from './connection-end.ts'
import { markdownPath } from './delivery/markdown-pages.ts'
import { checkSingle, stripHeaders } from './request-headers.ts'
import { givePolicy, withoutSecret } from './security-headers.ts'
import { servedHosts } from './served-hosts.ts'
import { type Area, areaOf, checkMethod, readTarget, type Target } from './target.ts'
import { proxyWatch } from './unknown-proxy.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void> | void

/** Answers a request for a page. */
export type Pages = (...args: [...Parameters<Handler>, AdmittedClient]) => Promise<void>

export type HttpHandlerOptions = {
  /** Host names that are served. */
  hosts: string[]
  /** Whether X-Forwarded-* headers are trusted. */
  trustProxy: boolean
  /** Whether the public address uses https. */
  https: boolean
  /** Headers of every response. */
  always: ReadonlyMap<string, string>
  /** Throws where the state header of a navigation is malformed, which Next itself would answer with 500. */
  checkRouterState: (header: string | string[] | undefined) => unknown
  /** Answers `/livez`, `/healthz` and `/readyz`. */
  health: Handler
  /** Decides whether a request is admitted. */
  admission: Admission
  /** Answers the paths of the API. */
  api: Api
  /** Answers the pages. */
  pages: Pages
  /** Answers all other paths: sign-in, and the build's files for browsers. */
  inside: Handler
}

/** Areas with many requests, which are logged at the level debug. */
const QUIET = new Set<Area>(['asset', 'health'])

/** Largest sign-in form, in bytes. The API limits its bodies itself. */
const FORM_LIMIT = 16 * 1024

/**
 * Returns the handler between the socket and the application. It parses the target (400, 404), strips headers that only
 * this server or a proxy may send, and checks the method (405, not for the API, whose routes check it), the host (400,
 * not for health, because balancers use addresses), the size of a form (413), the state of a navigation (400), and the
 * rate of unknown clients (429); then the application answers.
 */
export function httpHandler(options: HttpHandlerOptions): Handler {
  const { hosts, trustProxy, https, always, checkRouterState } = options
  const { health, admission, api, pages, inside } = options
  const hostOf = servedHosts(hosts, trustProxy)
  const watch = proxyWatch(trustProxy)

  /** Runs all checks; the request is in canonical form afterwards. */
  const read = (req: IncomingMessage, requestId: string): Target => {
    const target = readTarget(req.url ?? '')
    watch(req)
    stripHeaders(req.headers, target.area, trustProxy)
    if (target.area !== 'api') checkMethod(req.method, target.area)
    if (target.area !== 'health') {
      checkSingle(req.rawHeaders)
      req.headers.host = checkHost(hostOf(req.headers, target.host), requestId)
      if (trustProxy) req.headers['x-forwarded-host'] = req.headers.host
    }
    if (target.area === 'sign-in') checkForm(req)
    if (target.area === 'page') checkNavigation(req, checkRouterState)
    req.url = target.url
    return target
  }

  const lead = (req: IncomingMessage, res: ServerResponse, target: Target, client: AdmittedClient) => {
    const { area, path } = target
    // The API logs its own calls.
    if (area !== 'api') logAccess(req, res, { path, route: area, quiet: QUIET.has(area) })
    if (req.headers.expect?.toLowerCase() === '100-continue' && req.httpVersion === '1.1') res.writeContinue()
    if (area === 'health') return health(req, res)
    if (area === 'api') return api(req, res, target)
    if (area !== 'page') return inside(req, res)
    const markdown = markdownPath(path, req.headers.accept)
    if (markdown) req.url = markdown
    else givePolicy(req, res, path, https)
    return pages(req, res, client)
  }

  return async (req, res) => {
    const requestId = randomUUID()
    const rawUrl = req.url ?? ''
    for (const [name, value] of always) res.setHeader(name, value)
    res.setHeader('Request-Id', requestId)
    closeUnread(req, res)
    let target: Target | undefined
    let isLed = false
    try {
      const address = clientAddress(req, trustProxy)
      target = read(req, requestId)
      req.headers['request-id'] = requestId
      if (target.area === 'sign-in') req.headers['x-client-address'] = address
      const client = await admission(req, target, address)
      for (const [name, value] of Object.entries(client.fields ?? {})) res.setHeader(name, value)
      isLed = true
      const led = target
      const context = { requestId, address, agent: req.headers['user-agent'], charge: client.charge }
      await runWithRequestContext(context, () => lead(req, res, led, client))
    } catch (error) {
      const problem = toProblem(error)
      if (!isLed) logAccess(req, res, { requestId, path: target?.path, route: 'refused', quiet: false })
      logFailure(problem, error, requestId)
      sendError(req, res, { area: areaOf(rawUrl), problem, requestId })
    }
  }
}

function checkHost(host: string | undefined, requestId: string): string {
  if (host !== undefined) return host
  // The configuration is logged for the operator, and hidden from clients.
  log().info({ requestId }, 'the host is neither that of BASE_URL nor one of ALLOWED_HOSTS')
  throw new Problem('invalid_request', 'This host name is not served here.')
}

function checkForm(req: IncomingMessage): void {
  if (!carriesBody(req)) return
  const length = req.headers['content-length']
  // A body without a length may have any size; browsers always send the length.
  if (length !== undefined && Number(length) <= FORM_LIMIT) return
  throw new Problem('body_too_large', `Send a Content-Length, and at most ${FORM_LIMIT} bytes.`)
}

function checkNavigation(req: IncomingMessage, check: HttpHandlerOptions['checkRouterState']): void {
  try {
    check(req.headers['next-router-state-tree'])
  } catch {
    throw new Problem('invalid_request', 'The header Next-Router-State-Tree is not one that a page sent.')
  }
}

/** Answers with a problem: as JSON on paths of the API, in plain text elsewhere. Cuts a response that has started. */
function sendError(
  req: IncomingMessage,
  res: ServerResponse,
  { area, problem, requestId }: { area: Area; problem: Problem; requestId: string },
): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const isApi = area === 'api'
  const body = isApi
    ? problemText(problem, requestId)
    : `${problem.status} ${problem.message}\nRequest id: ${requestId}\n`
  res.writeHead(problem.status, {
    'Content-Type': isApi ? PROBLEM_TYPE : 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...problem.more.headers,
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}

type Visited = {
  /** Id for a request without a context yet. */
  requestId?: string
  /** Path of a parsed target; others are not logged. */
  path: string | undefined
  /** Area or route of the request. */
  route: string
  /** Whether it is logged at the level debug. */
  quiet: boolean
}

/** Logs a request after its response has ended, with the same fields as calls of the API. */
function logAccess(req: IncomingMessage, res: ServerResponse, { quiet, ...visited }: Visited): void {
  const here = requestContext()
  const started = performance.now()
  res.once('close', () => {
    const seconds = secondsSince(started)
    const ms = Math.round(seconds * 1000)
    // The connection closed before the end: the status does not show how much arrived.
    const cut = res.writableFinished ? {} : { cut: true }
    const { method = '' } = req
    const { statusCode: status } = res
    // A page that failed after its first part was sent: the sent status does not show the failure.
    const isLie = here?.isFailed === true && status < 500
    measured('request', { route: visited.route, method, status: isLie ? 500 : status, seconds })
    const requestId = here?.requestId
    const path = visited.path && withoutSecret(visited.path)
    const failed = isLie ? { failed: true } : {}
    const entry = {
      requestId,
      ...visited,
      path,
      method,
      status,
      ms,
      ...requestLogFields(here),
      ...cut,
      ...failed,
    }
    if (quiet) log().debug(entry)
    else log().info(entry)
  })
}
