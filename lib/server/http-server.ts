import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { PROBLEM_TYPE, Problem } from '#lib/platform/api/problem.ts'
import { problemText } from '#lib/platform/api/protocol.ts'
import { env, fixSettings, setPort } from '#lib/platform/runtime/env.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { breakOffVisibly } from './connection-end.ts'
import type { Handler } from './http-handler.ts'

/** Timeouts in milliseconds; the size of all headers in bytes. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  // Time for a whole request with its body; slower ones are cut.
  requestTimeout: 20_000,
  // Longer than the usual 60 s of load balancers, so that they close first and never send into a closing connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
}

/**
 * Idle timeout of a connection, in milliseconds: a client that reads nothing for so long is gone, or is a slow-read
 * attack. Longer than the limit of lib/platform/files/stream.ts, which cuts slow readers of a large response, because
 * system buffers drain in large steps.
 */
const SILENCE = 100_000

/**
 * Returns Node's server with limits on everything; unparsable HTTP is answered with a problem, and the connection
 * closed.
 * @param always headers of such a response, as of all others
 */
export function httpServer(handle: Handler, always: ReadonlyMap<string, string>): Server {
  const server = createServer({
    ...LIMITS,
    // The handler's error has a body and a request id; Node's own has neither.
    requireHostHeader: false,
    // No other protocol is supported: an upgrade request is answered as an ordinary one.
    shouldUpgradeCallback: () => false,
  })
  server.setTimeout(SILENCE)
  const answers = new WeakMap<Socket, ServerResponse>()
  const answer: Handler = (req, res) => {
    // Sent after a request whose body was rejected: its response ends the connection.
    if (req.socket.writableEnded) return
    answers.set(req.socket, res)
    breakOffVisibly(req, res)
    return handle(req, res)
  }
  server.on('request', answer)
  // The handler sends "100 Continue" after its checks; any other expectation is ignored.
  server.on('checkContinue', answer)
  server.on('checkExpectation', answer)
  server.on('connect', (_, socket) => endWith(socket, NO_TUNNEL, always))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const before = answers.get(socket as Socket)
    // During a response another one would be read as its part; before the response to a whole request, as that
    // response.
    const isResponding = before && !before.writableFinished && (before.headersSent || before.req.complete)
    // A connection opened in advance, as browsers do, and not used.
    const isUnused = (socket as Socket).bytesRead === 0
    if (isResponding || isUnused || !socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else endWith(socket, problemOf(error.code), always)
  })
  return server
}

// The target is not a path of this server, so no method is allowed there.
const NO_TUNNEL = new Problem('method_not_allowed', 'This is no tunnel.', { headers: { Allow: '' } })

/** Returns the problem of a parser error. @param code code of Node's parser error */
function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(
      'headers_too_large',
      `All headers together may have at most ${LIMITS.maxHeaderSize} bytes.`,
    )
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request_timeout', 'The request did not arrive in time.')
  return new Problem('invalid_request', 'This cannot be read as an HTTP request.')
}

function endWith(socket: Duplex, problem: Problem, always: ReadonlyMap<string, string>): void {
  const requestId = randomUUID()
  const { status } = problem
  const body = problemText(problem, requestId)
  const headers = {
    ...Object.fromEntries(always),
    ...problem.more.headers,
    // A response with a status below 500 needs a Date (RFC 9110 6.6.1), and no ServerResponse writes it here.
    Date: new Date().toUTCString(),
    'Request-Id': requestId,
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  log().info({ requestId, status })
  socket.on('error', () => {})
  // The rest is not read: a client that continues to send finds the connection closed.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroy(),
  )
}

const LISTEN_ERRORS: Record<string, string> = {
  EADDRINUSE: 'is in use by another program. Set PORT to a free one.',
  EACCES: 'may not be used by this account. Set PORT to one above 1023.',
  EADDRNOTAVAIL: 'is no address of this machine. Set HOST to one that is.',
  ENOTFOUND: 'is no address of this machine. Set HOST to one that is.',
}

/**
 * Listens at HOST and PORT, and freezes the settings, with the port that the system chose.
 * @returns the address
 * @throws Error with the reason in one line
 */
export async function listen(server: Server): Promise<string> {
  const { host, port } = env()
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const reason = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? '']
    throw reason ? new Error(`${host}:${port} ${reason}`) : error
  }
  const { port: real } = server.address() as AddressInfo
  setPort(real)
  fixSettings()
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${name}:${real}`
}
