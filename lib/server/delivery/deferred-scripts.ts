import type { ServerResponse } from 'node:http'
import { requestContext } from '#lib/platform/runtime/log.ts'
import type { Handler } from '../http-handler.ts'
import { release } from './release.ts'
import { replayClicks } from './replay-clicks.ts'

const HTML = /^text\/html/
const BEGIN = '<script src="/_next/static/'
const END = '</script>'
/** Async script tag as React writes it. */
const SCRIPT = /<script src="(\/_next\/static\/[^"<>]+)"([^<>]*) async=""([^<>]*)><\/script>/g
/** In characters. React writes no longer tag. */
const MAX_TAG_LENGTH = 400

const RELEASE = `(${release})();(${replayClicks})()`.replace(/\n\s+/g, '\n')

type Write = (chunk?: unknown, ...rest: unknown[]) => unknown

/**
 * Defers the scripts of a page until the browser has painted it, so that they compete neither with its styles and font
 * for bandwidth nor with its first frame for the processor. Each script tag becomes an element that loads nothing. In
 * front of the first one, an inline script with the same nonce releases them (`release.ts`), and replays the clicks in
 * between (`replay-clicks.ts`). Responses that are not pages or have a Content-Length pass unchanged, and so does the page
 * of a failure, which is empty until its scripts have run. Sets the status that a page has chosen.
 */
export function deferScripts(inside: Handler): Handler {
  return (req, res) => {
    const context = requestContext()
    let hold: ((text: string, isLast: boolean) => string) | undefined
    const through = (send: Write, isLast: boolean): Write => {
      return (...args) => {
        hold ??= isPage(res) && !isEmpty(args) ? scriptDeferrer() : asItIs
        if (hold === asItIs) return send.apply(res, args)
        const out = Buffer.from(hold(latin1(args), isLast), 'latin1')
        return send.apply(res, [out, ...args.filter((one) => typeof one === 'function')])
      }
    }
    const { writeHead } = res
    // Next sends the head before the first chunk.
    const writeStatus = (status: number, ...rest: unknown[]) =>
      Reflect.apply(writeHead, res, [(isPage(res) && context?.pageStatus) || status, ...rest])
    Object.assign(res, {
      writeHead: writeStatus,
      write: through(res.write as Write, false),
      end: through(res.end as Write, true),
    })
    return inside(req, res)
  }
}

/**
 * Returns a function that takes a page in chunks of any cut, and returns it with deferred scripts, except for an
 * unfinished tag.
 */
export function scriptDeferrer(): (text: string, isLast: boolean) => string {
  let pending = ''
  let isFirst = true
  const deferredScript = (_: string, source: string, before: string, after: string) => {
    const attributes = before + after
    const script = `<script type="text/plain" data-src="${source}"${attributes}></script>`
    if (!isFirst) return script
    isFirst = false
    const nonce = /nonce="[^"]*"/.exec(attributes)?.[0] ?? ''
    return `<script ${nonce}>${RELEASE}</script>${script}`
  }
  return (text, isLast) => {
    const buffered = pending + text
    const end = isLast ? buffered.length : beforeOpenTag(buffered)
    pending = buffered.slice(end)
    return buffered.slice(0, end).replace(SCRIPT, deferredScript)
  }
}

/** Returns the position of an unfinished tag that may be a script's, or the end of the text. */
function beforeOpenTag(text: string): number {
  const last = text.lastIndexOf(BEGIN)
  if (last >= 0 && text.length - last < MAX_TAG_LENGTH && !text.includes(END, last)) return last
  const angle = text.lastIndexOf('<')
  return angle >= 0 && BEGIN.startsWith(text.slice(angle)) ? angle : text.length
}

function isPage(res: ServerResponse): boolean {
  return HTML.test(String(res.getHeader('Content-Type'))) && !res.hasHeader('Content-Length')
}

/** Returns whether a chunk begins the page that Next sends where rendering failed: without any content. */
function isEmpty(args: unknown[]): boolean {
  return latin1(args).slice(0, MAX_TAG_LENGTH).includes('<html id="__next_error__"')
}

function asItIs(text: string): string {
  return text
}

/** Returns the bytes of a `write`, one per character, so that no multibyte character is cut. */
function latin1([chunk, encoding]: unknown[]): string {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk).toString('latin1')
  if (typeof chunk !== 'string') return ''
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8').toString(
    'latin1',
  )
}
