import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  type: string
  data: { version: number; assetId?: string; licenseChangeId?: string; invoiceId?: string }
}

/** Answers a request; without it, the receiver answers 204. */
export type Answer = (received: Received, response: ServerResponse) => void

/** Receiver of webhooks on this machine, which records its requests. */
export async function startReceiver() {
  const received: Received[] = []
  const state: { answer: Answer | undefined } = { answer: undefined }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const { type, data } = JSON.parse(body)
      const one = { path: request.url ?? '', headers: request.headers, body, type, data }
      received.push(one)
      if (state.answer) state.answer(one, response)
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}/hooks`,
    received,
    state,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end()

/** Never answers. */
export const silence: Answer = () => {}

/** Starts a process that delivers webhooks of a database, to these private hosts and public ones. */
export function startWorker(databaseUrl: string, privateHosts: string): ChildProcess {
  const program = ['--conditions=react-server', '--no-warnings', 'test/fakes/webhooks/worker.ts']
  const env = { ...process.env, DATABASE_URL: databaseUrl, WEBHOOK_PRIVATE_HOSTS: privateHosts }
  return spawn(process.execPath, program, { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Starts a receiver's program, the text of a TypeScript module, with the secret of its webhook. */
export function startProgram(text: string, secret: string) {
  const options = ['--input-type=module-typescript', '--no-warnings', '--eval', text]
  const env = { ...process.env, WEBHOOK_SECRET: secret }
  return spawn(process.execPath, options, { env, stdio: ['ignore', 'pipe', 'inherit'] })
}
