import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { visible } from '#components/ui/visible.ts'

/** A cause as text. */
export type ShownCause = {
  /** Absent where it is no single product. */
  product: string | undefined
  platform: string
  name: string
  note: string | undefined
  effect: string
}

// Said once for the whole table, not on each cell. On a phone each row says all that there is under the product.
const TABLE =
  'w-full border-collapse [&_td]:px-4 [&_td]:py-2.5 [&_td]:align-top max-md:[&_td]:px-3.5 [&_th]:px-4 [&_th]:text-left max-md:[&_th]:px-3.5 [&_thead_th]:border-b [&_thead_th]:border-line [&_thead_th]:py-2 [&_thead_th]:text-xs [&_thead_th]:font-medium [&_thead_th]:text-ink-3 [&_tbody_th]:py-2.5 [&_tbody_th]:align-top [&_tbody_th]:font-normal [&_tbody_tr]:border-b [&_tbody_tr]:border-line [&_tfoot_tr]:border-b [&_tfoot_tr]:border-line [&_tfoot_tr:last-child]:border-b-0 [&_tfoot_th]:py-2 [&_tfoot_th]:text-sm [&_tfoot_th]:font-medium [&_.n]:text-right [&_.n]:tabular-nums [&_td.n]:whitespace-nowrap [&_.t]:[overflow-wrap:anywhere] [&_small]:block [&_small]:text-xs [&_small]:text-ink-3 [&_small]:tabular-nums max-md:[&_.wide]:hidden md:[&_.small]:hidden'

/** The causes of a difference, and below them what they come to, where `sums` say it. */
export function CauseTable({
  label,
  causes,
  sums = [],
}: {
  label: string
  causes: readonly ShownCause[]
  sums?: readonly { label: string; effect: string }[]
}) {
  return (
    <table aria-label={label} className={TABLE}>
      <thead>
        <tr>
          <th scope="col" className="md:w-1/3">
            Product
          </th>
          <th scope="col" className="wide md:w-1/6">
            Platform
          </th>
          <th scope="col" className="wide md:w-1/3">
            Cause
          </th>
          <th scope="col" className="n">
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {causes.map((cause, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a cause has no name but its place
          <CauseRow key={index} {...cause} />
        ))}
      </tbody>
      {sums.length > 0 ? (
        <tfoot>
          {sums.map((sum) => (
            <tr key={sum.label} className="last:[&>*]:font-[650]">
              <th scope="row">{sum.label}</th>
              <td className="wide" colSpan={2} />
              <td className="n">{sum.effect}</td>
            </tr>
          ))}
        </tfoot>
      ) : null}
    </table>
  )
}

function CauseRow({ product, platform, name, note, effect }: ShownCause) {
  return (
    <tr>
      <th scope="row" className="t">
        {product === undefined ? <span className="text-ink-2">All of it</span> : visible(product)}
        <span className="small mt-0.5 block text-sm text-ink-2">{visible(name)}</span>
        {note ? <small className="small">{note}</small> : null}
        <small className="small mt-0.5">
          <PlatformMark slug={platform} />
        </small>
      </th>
      <td className="wide text-sm whitespace-nowrap text-ink-2">
        <PlatformMark slug={platform} />
      </td>
      <td className="wide t text-sm text-ink-2">
        {visible(name)}
        {note ? <small>{note}</small> : null}
      </td>
      <td className="n font-[550]">{effect}</td>
    </tr>
  )
}
