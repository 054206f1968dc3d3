import { exportedMarkdown } from '#lib/platform/api/developers/markdown.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { findPage } from '../../content.ts'

/** Returns a page for developers as Markdown. The server maps `/developers.md` and `/developers/….md` to this path. */
export async function GET(
  _: Request,
  { params }: { params: Promise<{ page?: string[] }> },
): Promise<Response> {
  const page = findPage((await params).page?.join('/') ?? '')
  const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept' }
  if (!page)
    return new Response('Not found\n', {
      status: 404,
      headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' },
    })
  return new Response(`${exportedMarkdown(page.markdown(env().baseUrl)).trimEnd()}\n`, {
    headers: { ...headers, 'Content-Type': 'text/markdown; charset=utf-8' },
  })
}
