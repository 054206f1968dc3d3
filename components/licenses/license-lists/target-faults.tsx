import type { RefObject } from 'react'
import type { TargetFault } from '#lib/licenses/license-lists/targets.ts'

const MOST = 20

/** What is wrong with a list, line by line; each leads to its line. */
export function TargetFaults({
  faults,
  area,
}: {
  faults: readonly TargetFault[]
  area: RefObject<HTMLTextAreaElement | null>
}) {
  if (faults.length === 0) return null
  const lines = faults.filter(({ line }) => line !== undefined).length
  return (
    <div role="alert" className="mt-3 rounded-card border border-danger/30 bg-danger-tint px-4 py-3 text-sm">
      <p className="font-semibold text-danger">
        {lines === 0 ? 'The list can’t be used' : `${lines} ${lines === 1 ? 'line' : 'lines'} can’t be read`}
      </p>
      <ul className="mt-1 grid gap-0.5 text-ink-2">
        {faults.slice(0, MOST).map(({ line, reason }) => (
          <li key={line ?? 0} className="wrap-anywhere">
            {line === undefined ? (
              reason
            ) : (
              <>
                <button
                  type="button"
                  onClick={() => showLine(area.current, line)}
                  className="rounded-sm font-medium text-ink underline underline-offset-2 max-md:py-1"
                >
                  Line {line}
                </button>
                : {reason}
              </>
            )}
          </li>
        ))}
        {faults.length > MOST ? <li>… and {faults.length - MOST} more.</li> : null}
      </ul>
    </div>
  )
}

/** Selects a line, counted from 1, and so brings it into view. */
function showLine(area: HTMLTextAreaElement | null, line: number): void {
  if (!area) return
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
  area.focus()
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  area.scrollTop = Math.max(0, (area.scrollHeight * (line - 3)) / lines.length)
}
