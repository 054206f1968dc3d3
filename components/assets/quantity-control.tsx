'use client'

import { NumberField } from '@base-ui/react/number-field'
import { Minus, Plus } from 'lucide-react'
import type { KeyboardEvent, RefObject } from 'react'
import { useHydrated } from '#components/ui/hydrated.ts'
import { MAX_QUANTITY } from '#lib/assets/rules.ts'

const GROUP =
  'inline-flex h-8 max-md:h-10 overflow-hidden rounded-control border border-line-2 bg-surface has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent'
const BUTTON =
  'grid w-7.5 max-md:w-10 place-items-center text-ink hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:bg-sunken aria-disabled:text-ink-3 disabled:bg-sunken disabled:text-ink-3'
const INPUT =
  'w-16 border-x border-line bg-transparent text-center text-base font-[550] tabular-nums text-ink outline-none disabled:text-ink-3 max-md:text-lg'

type Given = {
  label: string
  value: number | null
  /** Where − stops. Typing may go below, and is told why not. */
  minimum: number
  disabled: boolean
  /** Id of the text that says why − or all of it is switched off. */
  reasonId: string | undefined
  input: RefObject<HTMLInputElement | null>
  onChange: (value: number | null) => void
  onEnter: () => void
}

/** − [ n ] +. Typing works; arrow keys step by 1, Page Up and Page Down by 10. */
export function QuantityControl(given: Given) {
  // On the server the field would carry a style attribute, which the page's policy forbids.
  return useHydrated() ? <Live {...given} /> : <StandIn {...given} />
}

function Live({ label, value, minimum, disabled, reasonId, input, onChange, onEnter }: Given) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') {
      // Else this very press would go on to press the button that gets the focus.
      event.preventDefault()
      onEnter()
    }
    if (event.key !== 'PageUp' && event.key !== 'PageDown') return
    event.preventDefault()
    // The field knows the large step by another key.
    const key = event.key === 'PageUp' ? 'ArrowUp' : 'ArrowDown'
    event.currentTarget.dispatchEvent(
      new window.KeyboardEvent('keydown', { key, shiftKey: true, bubbles: true }),
    )
  }
  return (
    <NumberField.Root
      value={value}
      onValueChange={onChange}
      min={minimum}
      max={MAX_QUANTITY}
      largeStep={10}
      allowOutOfRange
      disabled={disabled}
      locale="en"
    >
      <NumberField.Group className={GROUP}>
        <NumberField.Decrement
          aria-label={`One fewer: ${label}`}
          aria-describedby={reasonId}
          className={BUTTON}
        >
          <Minus aria-hidden="true" className="size-3.5" />
        </NumberField.Decrement>
        <NumberField.Input
          ref={input}
          aria-label={label}
          aria-describedby={reasonId}
          onKeyDown={onKeyDown}
          className={INPUT}
        />
        <NumberField.Increment aria-label={`One more: ${label}`} className={BUTTON}>
          <Plus aria-hidden="true" className="size-3.5" />
        </NumberField.Increment>
      </NumberField.Group>
    </NumberField.Root>
  )
}

/** What stands there until the page is taken over: the same in size and look. */
function StandIn({ label, value, minimum, disabled, reasonId }: Given) {
  const off = disabled || (value !== null && value <= minimum)
  return (
    <div className={GROUP}>
      <span className={`${BUTTON} ${off ? 'bg-sunken text-ink-3' : ''}`}>
        <Minus aria-hidden="true" className="size-3.5" />
      </span>
      <input
        readOnly
        disabled={disabled}
        aria-label={label}
        aria-describedby={reasonId}
        value={value?.toLocaleString('en') ?? ''}
        className={INPUT}
      />
      <span className={BUTTON}>
        <Plus aria-hidden="true" className="size-3.5" />
      </span>
    </div>
  )
}
