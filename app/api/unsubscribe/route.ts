import { isKind } from '#lib/notifications/notices/rules.ts'
import { changeNoticeSubscription } from '#lib/notifications/notices/unsubscribe.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'

// The holder of a link may use it: from our page, and mail programs, which send the POST of RFC 8058 from any origin.
// So neither cookies nor the origin are checked.

/** Mail programs without one-click unsubscribe open the address: they get the page, which changes nothing. */
export function GET(request: Request): Response {
  return toPage(linkOf(request))
}

export async function POST(request: Request): Promise<Response> {
  const requestId = request.headers.get('request-id') ?? ''
  try {
    return await change(request, requestId)
  } catch (error) {
    const problem = toProblem(error)
    logFailure(problem, error, requestId)
    return plain(problem.status, problem.message, problem.more.headers)
  }
}

async function change(request: Request, requestId: string): Promise<Response> {
  const link = linkOf(request)
  const fields = await request.formData().catch(() => {
    throw new Problem('invalid_request', 'The form cannot be read.')
  })
  const [intent, notice] = [fields.get('want'), String(fields.get('notice'))]
  if (intent === 'stop' || intent === 'start') {
    const what = isKind(notice) || notice === 'all' ? notice : undefined
    const isDone = await changeNoticeSubscription(link, intent, what, requestId)
    return toPage(link, isDone ? '&done=1' : '')
  }
  // RFC 8058, 3.1: answered here, because a redirect may not be followed.
  if (fields.get('List-Unsubscribe') !== 'One-Click')
    throw new Problem('invalid_request', 'Nothing is asked for.')
  if (!(await changeNoticeSubscription(link, 'stop', undefined, requestId)))
    throw new Problem('not_found', 'This link is not valid.')
  return plain(200, 'You get no more of these notices.')
}

function linkOf(request: Request): string {
  return new URL(request.url).searchParams.get('link') ?? ''
}

function toPage(link: string, more = ''): Response {
  const headers = {
    Location: `/unsubscribe?link=${encodeURIComponent(link)}${more}`,
    'Cache-Control': 'no-store',
  }
  return new Response(null, { status: 303, headers })
}

function plain(status: number, text: string, more: Record<string, string> = {}): Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...more }
  return new Response(`${text}\n`, { status, headers })
}
