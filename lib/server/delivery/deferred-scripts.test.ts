import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestContext, runWithRequestContext } from '#lib/platform/runtime/log.ts'
import type { Handler } from '../http-handler.ts'
import { deferScripts, scriptDeferrer } from './deferred-scripts.ts'

const NONCE = 'nonce="a+b/c=="'
const SCRIPT_TAG = `<script src="/_next/static/chunks/a-1_b.js" async="" ${NONCE}></script>`
const BODY = `<script src="/_next/static/chunks/main.js" ${NONCE} async=""></script>`
const PAGE = `<html><link href="/x.css" ${NONCE}/>${SCRIPT_TAG}<script src="/_next/static/old.js" noModule="" ${NONCE}></script>
<p>Größe &lt;script src="/_next/static/x.js" async=""></p>${BODY}<script ${NONCE}>go("é")</script></html>`

/** Returns the response of a server that answers with `inside`. */
async function answerOf(inside: Handler): Promise<Response & { body: unknown }> {
  const server = createServer(deferScripts(inside))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const response = new Response(await answer.arrayBuffer(), answer)
  server.close()
  return response
}

test('scripts are deferred, the rest of a page is unchanged, and the releasing script has the page’s nonce', () => {
  const page = scriptDeferrer()(PAGE, true)
  const [releaseScript = ''] =
    /<script nonce="a\+b\/c==">\(function release[\s\S]+?\)\(\)<\/script>/.exec(page) ?? []
  expect(releaseScript.length).toBeGreaterThan(500)
  // A closing tag inside would end the script.
  expect(releaseScript.indexOf('</')).toBe(releaseScript.length - '</script>'.length)
  expect(page.replace(releaseScript, '')).toBe(
    PAGE.replace(
      SCRIPT_TAG,
      `<script type="text/plain" data-src="/_next/static/chunks/a-1_b.js" ${NONCE}></script>`,
    ).replace(BODY, `<script type="text/plain" data-src="/_next/static/chunks/main.js" ${NONCE}></script>`),
  )
  expect(page.indexOf(releaseScript)).toBeLessThan(page.indexOf('data-src'))
})

test('a page in chunks is the same, wherever they are cut', () => {
  const whole = scriptDeferrer()(PAGE, true)
  fc.assert(
    fc.property(fc.array(fc.nat(PAGE.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.toSorted((one, other) => one - other), PAGE.length]
      const hold = scriptDeferrer()
      const pieces = at.slice(1).map((end, index) => hold(PAGE.slice(at[index], end), false))
      expect(pieces.join('') + hold('', true)).toBe(whole)
    }),
  )
})

test('nothing but an unfinished tag is held back', () => {
  const hold = scriptDeferrer()
  expect(hold('<p>1 < 2</p><', false)).toBe('<p>1 < 2</p>')
  expect(hold('p>rows', false)).toBe('<p>rows')
  const endless = `<script src="/_next/static/${'x'.repeat(500)}`
  expect(hold(endless, false)).toBe(endless)
})

test('split characters, other encodings and callbacks are preserved', async () => {
  const bytes = Buffer.from(PAGE)
  const cut = bytes.indexOf(0xc3) + 1
  const called: string[] = []
  const answer = await answerOf((_, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.write(bytes.subarray(0, cut), () => called.push('written'))
    res.write(bytes.subarray(cut).toString('hex'), 'hex')
    res.end(() => called.push('ended'))
  })
  expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toBe(
    scriptDeferrer()(bytes.toString('latin1'), true),
  )
  expect(called).toEqual(['written', 'ended'])
})

test('a page gets the status that was chosen while it was rendered', async () => {
  const context = { requestId: 'a', address: '192.0.2.1', agent: undefined }
  const answer = await answerOf((req, res) =>
    runWithRequestContext(context, () =>
      deferScripts((_, inner) => {
        Object.assign(requestContext() ?? {}, { pageStatus: 403 })
        inner.setHeader('Content-Type', 'text/html')
        inner.flushHeaders()
        inner.end(PAGE)
      })(req, res),
    ),
  )
  expect(answer.status).toBe(403)
})

test('the scripts of a page without content are not deferred', async () => {
  const page = `<!DOCTYPE html><html id="__next_error__"><head>${SCRIPT_TAG}</head></html>`
  const answer = await answerOf((_, res) => void res.setHeader('Content-Type', 'text/html').end(page))
  expect(await answer.text()).toBe(page)
})

test.each([
  ['is no page', { 'Content-Type': 'text/x-component' }],
  ['says its length', { 'Content-Type': 'text/html', 'Content-Length': `${Buffer.byteLength(PAGE)}` }],
  ['has no type', {}],
])('a response %s passes unchanged', async (_, headers) => {
  const answer = await answerOf((_, res) => void res.setHeaders(new Map(Object.entries(headers))).end(PAGE))
  expect(await answer.text()).toBe(PAGE)
})
