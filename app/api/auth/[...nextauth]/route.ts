import NextAuth from 'next-auth'
import { authOptions } from '#lib/access/sign-in.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

// The options read the environment, so they are made on the first request, not while building.
const handle = (request: Request, context: Context) => NextAuth(authOptions())(request, context)

export { handle as GET, handle as POST }
