/**
 * Classes of a table of differences: one list on the table instead of one on each cell, because there may be thousands of
 * lines. Cells: `n` has a number, `wide` is hidden on phones, and `small` elsewhere.
 */
export const DIFFERENCE_TABLE =
  'w-full border-collapse [&_tr]:border-b [&_tr]:border-line [&_tbody:last-child>tr:last-child]:border-b-0 [&_tfoot_tr:last-child]:border-b-0 [&_td]:px-4 [&_td]:py-2.5 [&_td]:align-top [&_td]:[overflow-wrap:anywhere] max-md:[&_td]:px-3.5 [&_th]:px-4 [&_th]:text-left max-md:[&_th]:px-3.5 [&_thead_th]:py-2 [&_thead_th]:align-bottom [&_thead_th]:text-xs [&_thead_th]:font-medium [&_thead_th]:text-ink-3 [&_tbody_th]:py-2.5 [&_tbody_th]:align-top [&_tbody_th]:font-normal [&_tbody_th]:[overflow-wrap:anywhere] [&_tfoot_td]:py-2 [&_tfoot_th]:py-2 [&_tfoot_th]:text-sm [&_tfoot_th]:font-medium [&_tfoot_tr:last-child>*]:font-[650] [&_.n]:text-right [&_.n]:tabular-nums [&_td.n]:whitespace-nowrap [&_small]:block [&_small]:text-xs [&_small]:text-ink-3 [&_small]:tabular-nums max-md:[&_.wide]:hidden md:[&_.small]:hidden'
