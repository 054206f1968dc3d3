/** Days within which a flaw is mended, by severity: docs/operate/data-and-keys.md has them. */
const DAYS: Record<string, number> = { critical: 3, high: 14, moderate: 30, low: 90, info: 90 }

type Via = { title: string; url: string; severity: string; range: string }
type Audit = {
  vulnerabilities?: Record<string, { name: string; via: (Via | string)[]; effects: string[] }>
  message?: string
  error?: { summary?: string }
}

/**
 * Returns the flaws of npm's audit, the most severe first, and the exit code: 0 without a known flaw, 1 with one, 2 where
 * the registry did not answer.
 * @param output of `npm audit --json`
 */
export function adviceOf(output: string): { lines: string[]; code: 0 | 1 | 2 } {
  const audit = parsed(output)
  if (!audit?.vulnerabilities) {
    const reason = audit?.error?.summary || audit?.message || 'its answer cannot be read'
    return { lines: [`The registry does not answer the audit: ${reason}.`], code: 2 }
  }
  const flaws = Object.values(audit.vulnerabilities).flatMap(({ name, via, effects }) =>
    via.flatMap((one) => (typeof one === 'string' ? [] : [{ name, effects, ...one }])),
  )
  const lines = flaws
    .toSorted((a, b) => (DAYS[a.severity] ?? 0) - (DAYS[b.severity] ?? 0))
    .map(({ name, range, severity, title, url, effects }) => {
      const users = effects.length > 0 ? `, used by ${effects.join(', ')}` : ''
      return `${severity}, within ${DAYS[severity] ?? 3} days: ${name} ${range}${users}: ${title} (${url})`
    })
  return lines.length > 0 ? { lines, code: 1 } : { lines: ['No flaw is known.'], code: 0 }
}

function parsed(output: string): Audit | undefined {
  try {
    return JSON.parse(output) as Audit
  } catch {
    return undefined
  }
}
