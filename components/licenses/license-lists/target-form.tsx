'use client'

import {
  type ChangeEvent,
  type DragEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { MAX_TARGETS } from '#lib/licenses/license-lists/rules.ts'
import type { TargetError, TargetList } from '#lib/licenses/license-lists/targets.ts'

const EXAMPLE = 'workspace-suite-9120\t60\noffice-suite-4410\t1,200'

/** Form for the list: pasted, typed, or from a file. The text is never lost, whatever its errors. */
export function TargetForm({
  text,
  isStorable,
  onText,
  onList,
}: {
  text: string
  /** Whether the browser keeps the text over a reload. */
  isStorable: boolean
  onText: (text: string) => void
  /** Called with a list without errors. */
  onList: (list: TargetList) => void
}) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [errors, setErrors] = useState<readonly TargetError[]>([])
  const [replaced, setReplaced] = useState<{ name: string; before: string }>()

  // Take over text that was typed before hydration.
  useLayoutEffect(() => {
    const typed = area.current?.value
    if (typed) onText(typed)
  }, [onText])

  const change = (next: string) => {
    setErrors([])
    onText(next)
  }
  const check = async () => {
    // Not `text`: the field normalizes the line ends of a file.
    const value = area.current?.value
    const list = await readList(text)
    // Text typed in the meantime is not the text that was read.
    if (area.current?.value !== value) return
    setErrors(list.errors)
    if (list.errors.length === 0) onList(list)
  }
  const readFile = async (file: File | undefined) => {
    if (!file) return
    try {
      const content = await readListFile(file)
      setReplaced({ name: file.name, before: text })
      change(content)
    } catch (error) {
      setErrors([{ reason: (error as Error).message }])
    }
  }
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer.files[0]
    if (!file) return
    event.preventDefault()
    readFile(file)
  }
  const onFileChange = (event: ChangeEvent<HTMLInputElement>) => {
    readFile(event.target.files?.[0])
    // Allows choosing the same file again after it was corrected.
    event.target.value = ''
  }
  return (
    <Card className="p-4">
      <label htmlFor={id} className="font-semibold">
        One asset per line: asset ID, new total
      </label>
      <p id={`${id}-hint`} className="mt-0.5 mb-2.5 max-w-[46rem] text-sm text-ink-3">
        Paste two columns from a spreadsheet, or drop a CSV file here. The total is the number of licenses
        after the change. Header row optional. Up to {MAX_TARGETS} assets.
      </p>
      <textarea
        ref={area}
        id={id}
        aria-describedby={`${id}-hint`}
        aria-invalid={errors.length > 0 ? true : undefined}
        rows={12}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        placeholder={EXAMPLE}
        value={text}
        onChange={(event) => change(event.target.value)}
        onDrop={drop}
        onDragOver={(event) => event.preventDefault()}
        className="block w-full resize-y rounded-control border border-line-2 bg-surface px-3 py-2 font-mono text-sm whitespace-pre text-ink aria-invalid:border-danger max-md:text-lg"
      />
      <TargetErrors errors={errors} area={area} />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button variant="primary" onClick={check}>
          Check the list
        </Button>
        <Button onClick={() => picker.current?.click()}>Choose a file…</Button>
        <input
          ref={picker}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          aria-label="File with a list of totals"
          tabIndex={-1}
          onChange={onFileChange}
          className="sr-only"
        />
        <p role="status" className="text-sm text-ink-3">
          {replaced ? `${replaced.name} is in the list. ` : ''}
          {isStorable ? '' : 'This browser keeps nothing: after a reload, paste the list again.'}
        </p>
        {replaced?.before.trim() ? (
          <Button
            variant="quiet"
            onClick={() => {
              change(replaced.before)
              setReplaced(undefined)
              area.current?.focus()
            }}
          >
            Put back what was there
          </Button>
        ) : null}
      </div>
    </Card>
  )
}

/** Parses the list. The CSV reader is larger than the rest of this screen, so it is loaded when needed. */
async function readList(text: string): Promise<TargetList> {
  try {
    const { readTargets } = await import('#lib/licenses/license-lists/targets.ts')
    return readTargets(text)
  } catch {
    const reason = 'The list can’t be read, because a part of this page did not load. Try again.'
    return { targets: [], errors: [{ reason }], skipped: 0 }
  }
}

const MAX_LISTED = 20

/** Errors of a list, line by line; each links to its line. */
function TargetErrors({
  errors,
  area,
}: {
  errors: readonly TargetError[]
  area: RefObject<HTMLTextAreaElement | null>
}) {
  if (errors.length === 0) return null
  const lines = errors.filter(({ line }) => line !== undefined).length
  return (
    <div role="alert" className="mt-3 rounded-card border border-danger/30 bg-danger-tint px-4 py-3 text-sm">
      <p className="font-semibold text-danger">
        {lines === 0 ? 'The list can’t be used' : `${lines} ${lines === 1 ? 'line' : 'lines'} can’t be read`}
      </p>
      <ul className="mt-1 grid gap-0.5 text-ink-2">
        {errors.slice(0, MAX_LISTED).map(({ line, reason }) => (
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
        {errors.length > MAX_LISTED ? <li>… and {errors.length - MAX_LISTED} more.</li> : null}
      </ul>
    </div>
  )
}

/** Selects a line, counted from 1, which scrolls it into view. */
function showLine(area: HTMLTextAreaElement | null, line: number): void {
  if (!area) return
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
  area.focus()
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  area.scrollTop = Math.max(0, (area.scrollHeight * (line - 3)) / lines.length)
}

/** Largest file in bytes: 250 rows with many columns. */
const MAX_FILE_BYTES = 1_000_000

/**
 * Returns the text of a chosen or dropped file.
 * @throws Error whose message explains why it can't be read
 */
export async function readListFile(file: File): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw new Error(`${file.name} is larger than a list of 250 rows can be.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    throw new Error(`${file.name} is a workbook or an archive: save it as CSV, or copy its cells.`)
  }
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const encoding = isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Error(`${file.name} is no text in UTF-8: save it as “CSV UTF-8”.`)
  }
}
