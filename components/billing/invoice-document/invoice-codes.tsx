import { Card } from '#components/ui/card.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Code of an invoice with its list and its name on the screen. */
export type CodeView = { name: string; code: string; list: string }

/** Codes for accounting programs, collapsed. */
export function InvoiceCodes({ codes }: { codes: readonly CodeView[] }) {
  if (codes.length === 0) return null
  return (
    <Card className="mt-4 print:hidden [&>details]:border-t-0">
      <Disclosure name="Codes for accounting programs">
        <dl className="grid max-w-xl grid-cols-[1fr_auto_auto] gap-x-4 gap-y-1.5 px-4 py-2.5 text-sm max-md:px-3.5">
          {codes.map(({ name, code, list }) => (
            <div key={`${list} ${code} ${name}`} className="contents">
              <dt>{escapeInvisible(name)}</dt>
              <dd>{escapeInvisible(code)}</dd>
              <dd className="text-ink-3">{list}</dd>
            </div>
          ))}
        </dl>
      </Disclosure>
    </Card>
  )
}
