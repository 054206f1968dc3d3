'use client'

import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react'
import { MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'

// Not Base UI's number field: its server-rendered style attribute violates our Content-Security-Policy, so it could
// only be rendered after hydration.

const GROUP =
  'inline-flex h-8.5 max-md:h-10 shrink-0 align-top rounded-control border border-line-2 bg-surface has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent print:hidden'
// A list has a hundred buttons, so their signs are backgrounds; forced colors have none, but show text.
const BUTTON =
  'w-7.5 max-md:w-10 touch-manipulation select-none first:rounded-l-[6px] last:rounded-r-[6px] bg-center bg-no-repeat text-ink hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:bg-sunken aria-disabled:text-ink-3'
const MINUS =
  "bg-[linear-gradient(currentColor,currentColor)] bg-size-[0.5625rem_1px] forced-colors:before:content-['−']"
const PLUS =
  "bg-[linear-gradient(currentColor,currentColor),linear-gradient(currentColor,currentColor)] bg-size-[0.5625rem_1px,1px_0.5625rem] forced-colors:before:content-['+']"
const INPUT =
  'border-x border-line bg-transparent text-center text-base font-[550] tabular-nums text-ink outline-none disabled:text-ink-3'
/**
 * Returns classes that show every digit up to 1,000,000: text longer than `10,000` is set closer, and gets more room
 * above `100,000`.
 */
const widthOf = (text: string) =>
  text.length > 6 ? `tracking-tight ${text.length > 7 ? 'w-19' : 'w-16'}` : 'w-16 max-md:text-lg'

const STEPS: Record<string, number> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }

type QuantityControlProps = {
  label: string
  /** Null: the input is not a whole number. */
  value: number | null
  /** Base for stepping when the input is not usable. */
  purchased: number
  /** Lower bound of −. Typing may go below, and shows the reason for the limit. */
  minimum: number
  disabled: boolean
  /** Id of the text with the reason why − or the whole control is disabled. */
  reasonId: string | undefined
  input: RefObject<HTMLInputElement | null>
  onChange: (value: number | null) => void
  /** Called when the pointer or the focus reaches the control. */
  onApproach: () => void
  onEnter: () => void
}

/** Number input − [ n ] +. Arrow keys step by 1, Page Up and Page Down by 10. */
export function QuantityControl(props: QuantityControlProps) {
  const { label, value, purchased, minimum, disabled, reasonId, input, onChange, onApproach, onEnter } = props
  const [typed, setTyped] = useState('')
  // Keep the text as typed while it parses to the value.
  const text = value === (parseWholeNumber(typed) ?? null) ? typed : (value ?? purchased).toLocaleString('en')
  const fits = value !== null && value >= minimum && value <= MAX_QUANTITY

  const step = (by: number) => {
    const next = Math.min(MAX_QUANTITY, Math.max(minimum, (value ?? purchased) + by))
    setTyped('')
    if (next !== value) onChange(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (by === undefined && event.key !== 'Enter') return
    // Without this, the Enter would also press the button that receives the focus.
    event.preventDefault()
    if (by === undefined) onEnter()
    else step(by)
  }
  const stepper = (by: 1 | -1, isOff: boolean) => ({
    type: 'button' as const,
    // Not a tab stop: the arrow keys do the same.
    tabIndex: -1,
    'aria-disabled': isOff || undefined,
    className: `${BUTTON} ${by === 1 ? PLUS : MINUS}`,
    onClick: () => isOff || step(by),
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType !== 'mouse') return
      event.preventDefault()
      input.current?.focus()
    },
  })
  return (
    <>
      {/* Plain text in print. */}
      <span className="hidden font-[550] tabular-nums print:inline">{purchased.toLocaleString('en')}</span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be read out before each of its parts */}
      <div role="group" aria-label={label} className={GROUP} onPointerEnter={onApproach} onFocus={onApproach}>
        <button
          {...stepper(-1, disabled || (value !== null && value <= minimum))}
          aria-label={`One fewer: ${label}`}
          aria-describedby={reasonId}
        />
        <input
          ref={input}
          role="spinbutton"
          inputMode="numeric"
          autoComplete="off"
          spellCheck={false}
          aria-label={label}
          aria-describedby={reasonId}
          aria-valuenow={value ?? undefined}
          aria-valuemin={minimum}
          aria-valuemax={MAX_QUANTITY}
          aria-invalid={fits || disabled ? undefined : true}
          disabled={disabled}
          value={text}
          onChange={(event) => {
            setTyped(event.target.value)
            onChange(parseWholeNumber(event.target.value) ?? null)
          }}
          onBlur={() => value !== null && setTyped('')}
          onKeyDown={onKeyDown}
          className={`${INPUT} ${widthOf(text)}`}
        />
        <button
          {...stepper(1, disabled || (value !== null && value >= MAX_QUANTITY))}
          aria-label={`One more: ${label}`}
        />
      </div>
    </>
  )
}
