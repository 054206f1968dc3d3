import { CopyButton } from './copy-button.tsx'

/** Text to be used elsewhere, with a copy button labelled `copyLabel`, as in “Copy address”. */
export function CopyField({ label, text, copyLabel }: { label: string; text: string; copyLabel: string }) {
  return (
    <div className="grid min-w-0 gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-2">
        <span className="text-sm font-medium">{label}</span>
        {/* Aligned with the box below. */}
        <span className="-mr-3">
          <CopyButton text={() => text}>Copy {copyLabel}</CopyButton>
        </span>
      </div>
      <code className="block rounded-control border border-line-2 bg-sunken px-3 py-2 text-sm wrap-anywhere">
        {text}
      </code>
    </div>
  )
}
