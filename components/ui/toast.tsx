'use client'

import { X } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'

const MESSAGE_MS = 6000

/** Longer than a plain message: the user has to decide, and to reach the button. */
const OFFERED_MS = 15_000

/** Action that a toast offers with a button. */
type Offer = { name: string; act: () => void }
type ShowToast = (text: string, offer?: Offer) => void
type Message = { id: number; text: string; offer: Offer | undefined }
const Show = createContext<ShowToast>(() => {})

/** Returns the function that shows a toast: `const toast = useToast(); toast('Business Plus: 240 → 195 licenses')`. */
export function useToast(): ShowToast {
  return useContext(Show)
}

/** Container of the toasts. They are announced politely, never take the focus, and stay while hovered or focused. */
export function Toasts({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([])
  const next = useRef(0)
  const show = useCallback<ShowToast>((text, offer) => {
    next.current += 1
    const id = next.current
    setMessages((before) => [...before.slice(-2), { id, text, offer }])
  }, [])
  const close = useCallback((id: number) => setMessages((before) => before.filter((m) => m.id !== id)), [])
  return (
    <Show value={show}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="pointer-events-none fixed right-4 bottom-[calc(1rem+var(--bar))] left-4 z-50 grid justify-items-end gap-2 max-md:justify-items-stretch print:hidden"
      >
        {messages.map((message) => (
          <Toast key={message.id} {...message} onClose={close} />
        ))}
      </div>
    </Show>
  )
}

function Toast({ id, text, offer, onClose }: Message & { onClose: (id: number) => void }) {
  const [isPaused, setIsPaused] = useState(false)
  useEffect(() => {
    if (isPaused) return
    const timer = setTimeout(() => onClose(id), offer ? OFFERED_MS : MESSAGE_MS)
    return () => clearTimeout(timer)
  }, [isPaused, id, offer, onClose])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only hold it while it is read
    <div
      onPointerEnter={() => setIsPaused(true)}
      onPointerLeave={() => setIsPaused(false)}
      onFocus={() => setIsPaused(true)}
      onBlur={() => setIsPaused(false)}
      // On a phone only the newest one: three of them would cover half of the screen.
      className="appear pointer-events-auto flex max-w-md max-md:not-last:hidden items-center gap-3 rounded-card border border-line-2 bg-surface py-2 pr-2 pl-4 shadow-float"
    >
      <span className="flex-1 tabular-nums">{text}</span>
      {offer ? (
        <button
          type="button"
          aria-label={`${offer.name}: ${text}`}
          onClick={() => {
            onClose(id)
            offer.act()
          }}
          className="h-8 shrink-0 rounded-control px-2.5 text-sm font-medium text-accent underline underline-offset-2 hover:bg-sunken max-md:h-10"
        >
          {offer.name}
        </button>
      ) : null}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => onClose(id)}
        className="grid size-8 shrink-0 place-items-center rounded-control text-ink-3 hover:bg-sunken hover:text-ink"
      >
        <X aria-hidden="true" className="size-4" />
      </button>
    </div>
  )
}
