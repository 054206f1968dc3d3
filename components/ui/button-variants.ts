export type ButtonVariant = 'plain' | 'icon' | 'primary' | 'quiet'

const BASE =
  'inline-flex min-h-8.5 max-md:min-h-10 items-center justify-center gap-2 rounded-control border py-1 text-sm font-medium transition-colors duration-120 disabled:cursor-not-allowed aria-disabled:cursor-progress'

const PLAIN = 'border-line-2 bg-surface text-ink shadow-card hover:bg-sunken disabled:text-ink-3'

const VARIANTS: Record<ButtonVariant, string> = {
  plain: `px-3 ${PLAIN}`,
  icon: `min-w-8.5 px-2 max-md:min-w-10 ${PLAIN}`,
  primary:
    'px-3 border-transparent bg-accent text-accent-ink shadow-card hover:bg-accent-strong disabled:bg-sunken disabled:text-ink-3 disabled:shadow-none',
  quiet: 'px-3 border-transparent text-ink-2 hover:bg-sunken hover:text-ink disabled:text-ink-3',
}

/** Returns the classes of a button, or of a link with its look. */
export function buttonVariants(variant: ButtonVariant, more = ''): string {
  return `${BASE} ${VARIANTS[variant]} ${more}`
}
