import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '#lib/db/client.ts'
import type { Handler } from './front-door.ts'

const PATIENCE_MS = 1000

/**
 * Makes the answer of `/healthz`: 200 `ok` while this process takes requests and the database answers within a
 * second, else 503 and the reason in a word.
 */
export function healthCheck(isDraining: () => boolean, answers = databaseAnswers): Handler {
  return async (_, res) => {
    if (isDraining()) say(res, 503, 'draining')
    else if (await answers()) say(res, 200, 'ok')
    else say(res, 503, 'database')
  }
}

function say(res: ServerResponse, status: number, text: string): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  res.writeHead(status, { ...headers, 'Content-Length': text.length }).end(text)
}

let asking: Promise<boolean> | undefined

/** Anybody may ask: however many do, one connection is used. */
function databaseAnswers(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined
  })
  return asking
}

async function ask(): Promise<boolean> {
  const late = new AbortController()
  const answer = database()
    .access.query({ text: 'SELECT 1', query_timeout: PATIENCE_MS } as { text: string })
    .then(
      () => true,
      () => false,
    )
  const patience = sleep(PATIENCE_MS, false, { signal: late.signal }).catch(() => false)
  return Promise.race([answer, patience]).finally(() => late.abort())
}
