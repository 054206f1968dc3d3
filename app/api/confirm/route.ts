import { answerConfirmation } from '#lib/notifications/recipients/confirm.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'

// The holder of a link may use it: neither cookies nor the origin are checked.

export async function POST(request: Request): Promise<Response> {
  const requestId = request.headers.get('request-id') ?? ''
  try {
    const link = new URL(request.url).searchParams.get('link') ?? ''
    const fields = await request.formData().catch(() => {
      throw new Problem('invalid_request', 'The form cannot be read.')
    })
    const answer = fields.get('answer')
    if (answer !== 'confirm' && answer !== 'decline')
      throw new Problem('invalid_request', 'The answer is missing.')
    // The page shows the outcome, also of a link that no longer works.
    await answerConfirmation(link, answer, requestId)
    const Location = `/confirm?link=${encodeURIComponent(link)}`
    return new Response(null, { status: 303, headers: { Location, 'Cache-Control': 'no-store' } })
  } catch (error) {
    const problem = toProblem(error)
    logFailure(problem, error, requestId)
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      ...problem.more.headers,
    }
    return new Response(`${problem.message}\n`, { status: problem.status, headers })
  }
}
