import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('nothing of the protocol is loaded before the first request', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { loadApi } = await import('./lib/server/api.ts')
    await loadApi()
    console.log(JSON.stringify(loaded.filter((url) => /modelcontextprotocol|server.mcp|app.mcp/.test(url))))
    await import('./app/mcp/respond.ts')
    console.log(loaded.some((url) => url.includes('modelcontextprotocol')))
    process.exit()`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=react-server',
    '--input-type=module',
    '-e',
    script,
  ])
  const [before = '', after] = stdout.trim().split('\n').slice(-2)
  expect(JSON.parse(before).map((url: string) => url.replace(/.*\/app\//, 'app/'))).toEqual([
    'app/mcp/route.ts',
  ])
  expect(after).toBe('true')
})
