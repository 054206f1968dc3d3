/** Styles of a filter's button. */
export const FILTER_BUTTON =
  'inline-flex h-8.5 max-md:h-10 items-center gap-2 rounded-control border border-line-2 bg-surface px-3 text-sm font-medium shadow-card transition-colors duration-120 hover:bg-sunken'

/** Button of an active filter: its left part, next to the × that removes it. */
export const FILTER_BUTTON_ON =
  'inline-flex h-8.5 max-md:h-10 items-center gap-2 rounded-l-control border border-r-0 border-accent bg-accent-tint px-3 text-sm font-medium text-accent transition-colors duration-120 hover:bg-accent/15'
