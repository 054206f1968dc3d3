import { answerEnd } from '#lib/identity/access/sign-on/answers.ts'

/** The console asks, before it signs out, where the issuer ends its own session. */
export function POST(request: Request): Promise<Response> {
  return answerEnd(request)
}
