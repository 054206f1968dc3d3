/** Path of the route that returns the pages for developers as Markdown. */
const MARKDOWN = '/developers/markdown'

/**
 * Returns the path at which a page for developers is found as Markdown, if a request wants that: by the ending `.md`, or
 * by an Accept header that names Markdown and no HTML.
 */
export function markdownPath(path: string, accept = ''): string | undefined {
  const [whole, page = '', ending] = PAGE.exec(path) ?? []
  if (whole === undefined || path === MARKDOWN) return undefined
  const isMarkdown = /\btext\/markdown\b/i.test(accept) && !/\btext\/html\b/i.test(accept)
  return ending || isMarkdown ? MARKDOWN + page : undefined
}

const PAGE = /^\/developers(\/[\w-]+)?(\.md)?$/
