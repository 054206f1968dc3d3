import { visible } from '#components/ui/visible.ts'

/** To whom a key belongs, which an Admin may choose. */
export function OwnerChoice({ customer }: { customer: string }) {
  const choices = [
    { value: 'MEMBER', text: 'You', means: 'It ends when you leave, and never opens more than you may.' },
    { value: 'CUSTOMER', text: visible(customer), means: 'It goes on when you leave.' },
  ]
  return (
    <fieldset className="grid gap-0.5 text-sm">
      <legend className="mb-1 font-medium">Belongs to</legend>
      {choices.map(({ value, text, means }, at) => (
        <label key={value} className="flex cursor-pointer items-start gap-2.5 py-1.25">
          <input
            type="radio"
            name="owner"
            value={value}
            defaultChecked={at === 0}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="wrap-anywhere">
            {text}
            <span className="block text-xs text-ink-3">{means}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
