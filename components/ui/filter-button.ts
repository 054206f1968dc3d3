const BUTTON =
  'inline-flex h-8.5 max-md:h-10 items-center gap-2 rounded-control border border-line-2 bg-surface text-sm font-medium shadow-card transition-colors duration-120 hover:bg-sunken'

/** Styles of a filter's button. */
export const FILTER_BUTTON = `${BUTTON} px-3`

/** Button of a list's tool: a square where there is room for the icon only. */
export const TOOL_BUTTON = `${BUTTON} min-w-8.5 justify-center px-2.25 max-md:min-w-10`

/** Button of an active filter: its left part, next to the × that removes it. */
export const FILTER_BUTTON_ON =
  'inline-flex h-8.5 max-md:h-10 items-center gap-2 rounded-l-control border border-r-0 border-accent bg-accent-tint px-3 text-sm font-medium text-accent transition-colors duration-120 hover:bg-accent/15'
