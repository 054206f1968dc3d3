import NextAuth from 'next-auth'
import { authOptions } from '#lib/identity/access/sign-ins/next-auth.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

// Allowlist of the routes that the console itself calls. The rest of next-auth's pages and routes (including its log,
// into which any client could write) is disabled.
const CALLS = ['GET csrf', 'POST callback/credentials', 'POST signout']

// The options read the environment, so they are created on the first request, not at build time.
async function handle(request: Request, context: Context): Promise<Response> {
  const { nextauth } = await context.params
  const cookies: string[] = []
  const options = authOptions((...headers) => {
    cookies.push(...headers)
  })
  const isCall = CALLS.includes(`${request.method} ${nextauth.join('/')}`)
  const response: Response = isCall
    ? await NextAuth(options)(request, context)
    : new Response(null, { status: 404 })
  // next-auth sets this header only on the first of these routes.
  response.headers.set('Cache-Control', 'no-store')
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}

export { handle as GET, handle as POST }
