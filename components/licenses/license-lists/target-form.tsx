'use client'

import { type ChangeEvent, type DragEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { MOST_TARGETS } from '#lib/licenses/license-lists/rules.ts'
import type { TargetFault, TargetList } from '#lib/licenses/license-lists/targets.ts'
import { TargetFaults } from './target-faults.tsx'
import { readListFile } from './target-file.ts'

const EXAMPLE = 'workspace-suite-9120\t60\noffice-suite-4410\t1,200'

/** The list: pasted, typed, or from a file. Nothing that stands there is lost, whatever is wrong with it. */
export function TargetForm({
  text,
  keeps,
  onText,
  onList,
}: {
  text: string
  /** Whether the browser keeps it over a reload. */
  keeps: boolean
  onText: (text: string) => void
  /** Takes a list without faults. */
  onList: (list: TargetList) => void
}) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [faults, setFaults] = useState<readonly TargetFault[]>([])
  const [replaced, setReplaced] = useState<{ name: string; before: string }>()

  // What was typed before the page came to life.
  useLayoutEffect(() => {
    const typed = area.current?.value
    if (typed) onText(typed)
  }, [onText])

  const change = (next: string) => {
    setFaults([])
    onText(next)
  }
  const check = async () => {
    // Not `text`: of a file that may have line ends which the field shows as others.
    const shown = area.current?.value
    const list = await readList(text)
    // What was typed meanwhile is not what was read.
    if (area.current?.value !== shown) return
    setFaults(list.faults)
    if (list.faults.length === 0) onList(list)
  }
  const take = async (file: File | undefined) => {
    if (!file) return
    try {
      const found = await readListFile(file)
      setReplaced({ name: file.name, before: text })
      change(found)
    } catch (error) {
      setFaults([{ reason: (error as Error).message }])
    }
  }
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer.files[0]
    if (!file) return
    event.preventDefault()
    take(file)
  }
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    take(event.target.files?.[0])
    // The same file can be chosen again after it was mended.
    event.target.value = ''
  }
  return (
    <Card className="p-4">
      <label htmlFor={id} className="font-semibold">
        Asset ID and new total, one asset in a line
      </label>
      <p id={`${id}-hint`} className="mt-0.5 mb-2.5 max-w-[46rem] text-sm text-ink-3">
        Paste two columns from a spreadsheet, or drop a CSV file here. The total is the number of licenses
        after the change. A first line may name the columns, as in the assets’ CSV; {MOST_TARGETS} assets at
        most.
      </p>
      <textarea
        ref={area}
        id={id}
        aria-describedby={`${id}-hint`}
        aria-invalid={faults.length > 0 ? true : undefined}
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
      <TargetFaults faults={faults} area={area} />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button look="primary" onClick={check}>
          Check the list
        </Button>
        <Button onClick={() => picker.current?.click()}>Choose a file…</Button>
        <input
          ref={picker}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          aria-label="File with a list of totals"
          tabIndex={-1}
          onChange={pick}
          className="sr-only"
        />
        <p role="status" className="text-sm text-ink-3">
          {replaced ? `${replaced.name} is in the list. ` : ''}
          {keeps ? '' : 'This browser keeps nothing: after a reload, paste the list again.'}
        </p>
        {replaced?.before.trim() ? (
          <Button
            look="quiet"
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

/** The reader of CSV is larger than the rest of this screen, and loaded when it is needed. */
async function readList(text: string): Promise<TargetList> {
  try {
    const { readTargets } = await import('#lib/licenses/license-lists/targets.ts')
    return readTargets(text)
  } catch {
    const reason = 'The list can’t be read, because a part of this page did not load. Try again.'
    return { targets: [], faults: [{ reason }], skipped: 0 }
  }
}
