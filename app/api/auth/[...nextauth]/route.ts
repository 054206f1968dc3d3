import NextAuth from 'next-auth'
import { authOptions } from '#lib/access/sign-in.ts'
import { markCookie } from '#lib/access/sign-ins/browser-mark.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

// What the console itself calls. The rest of next-auth's pages and calls (its log among them, into which anybody
// could write) is not there.
const CALLS = ['GET csrf', 'POST callback/credentials', 'POST signout']

// The options read the environment, so they are made on the first request, not while building.
async function handle(request: Request, context: Context): Promise<Response> {
  const { nextauth } = await context.params
  let mark: string | undefined
  const options = authOptions((given) => {
    mark = given
  })
  const isCall = CALLS.includes(`${request.method} ${nextauth.join('/')}`)
  const response: Response = isCall
    ? await NextAuth(options)(request, context)
    : new Response(null, { status: 404 })
  // next-auth itself says so of the first call only.
  response.headers.set('Cache-Control', 'no-store')
  if (mark !== undefined) response.headers.append('Set-Cookie', markCookie(mark))
  return response
}

export { handle as GET, handle as POST }
