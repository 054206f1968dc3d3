export type ButtonVariant = 'plain' | 'primary' | 'quiet'

const BASE =
  'inline-flex min-h-8.5 max-md:min-h-10 items-center justify-center gap-2 rounded-control border px-3 py-1 text-sm font-medium transition-colors duration-120 disabled:cursor-not-allowed aria-disabled:cursor-progress'

const VARIANTS: Record<ButtonVariant, string> = {
  plain: 'border-line-2 bg-surface text-ink shadow-card hover:bg-sunken disabled:text-ink-3',
  primary:
    'border-transparent bg-accent text-accent-ink shadow-card hover:bg-accent-strong disabled:bg-sunken disabled:text-ink-3 disabled:shadow-none',
  quiet: 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink disabled:text-ink-3',
}

/** Returns the classes of a button, or of a link with its look. */
export function buttonVariants(variant: ButtonVariant, more = ''): string {
  return `${BASE} ${VARIANTS[variant]} ${more}`
}
