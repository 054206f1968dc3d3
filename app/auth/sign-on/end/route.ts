import { answerEnd } from '#lib/identity/access/sign-on/answers.ts'

/** Returns the issuer's logout address; the console calls it before it signs out. */
export function POST(request: Request): Promise<Response> {
  return answerEnd(request)
}
