// Plain JavaScript for any Node from 18, because scripts/setup.mjs uses it before packages are there.

/**
 * Shows on stderr that a long step runs, and its usual duration: on a terminal one line that counts seconds, elsewhere a
 * line each half minute.
 * @param {string} what such as `Building`
 * @param {string} usual its duration, and what else to know
 * @param {{ isTTY?: boolean, write(text: string): unknown }} [stderr]
 * @returns {() => void} ends the display with the seconds that the step took
 */
export function showProgress(what, usual, stderr = process.stderr) {
  const start = Date.now()
  const seconds = () => `${Math.round((Date.now() - start) / 1000)} s`
  const line = `${what} (usually ${usual}) …`
  stderr.write(stderr.isTTY ? line : `${line}\n`)
  const again = () =>
    stderr.write(stderr.isTTY ? `\r\u001b[K${line} ${seconds()}` : `${what}: ${seconds()} …\n`)
  const timer = setInterval(again, stderr.isTTY ? 1000 : 30_000)
  timer.unref()
  return () => {
    clearInterval(timer)
    stderr.write(`${stderr.isTTY ? '\r\u001b[K' : ''}${what}: done after ${seconds()}\n`)
  }
}
