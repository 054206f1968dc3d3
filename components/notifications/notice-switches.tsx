import { Badge } from '#components/ui/badge.tsx'
import { type ButtonVariant, buttonVariants } from '#components/ui/button-variants.ts'
import { type Kind, NOTICE_NAMES, type NoticeSubscription } from '#lib/notifications/notices/rules.ts'

/**
 * Notices of one address, each with the button that stops or restarts it. Plain forms, which work in any browser that a
 * mail program opens.
 * @param action target of the forms
 */
export function NoticeSwitches({
  subscription,
  action,
}: {
  subscription: NoticeSubscription
  action: string
}) {
  const { notice, notices } = subscription
  const someOn = notices.some(({ isOn }) => isOn)
  const requested = notices.find((one) => one.notice === notice && one.isOn)
  if (notices.length === 0) return <p className="mt-4">This address gets no notices.</p>
  return (
    <>
      {requested ? (
        <div className="mt-4 grid gap-2.5">
          <p>
            Stop notices of the kind <b>{NOTICE_NAMES[requested.notice]}</b>?
          </p>
          <Switch action={action} kind={requested.notice} intent="stop" variant="primary">
            Stop these notices
          </Switch>
        </div>
      ) : null}
      <ul aria-label="Notices" className="mt-4 divide-y divide-line border-y border-line">
        {notices.map((one) => (
          <li key={one.notice} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
            <span className="min-w-0 grow basis-36">{NOTICE_NAMES[one.notice]}</span>
            {one.isOn ? <Badge tone="ok">On</Badge> : <Badge>Stopped</Badge>}
            <Switch
              action={action}
              kind={one.notice}
              intent={one.isOn ? 'stop' : 'start'}
              label={`${one.isOn ? 'Stop' : 'Start again'}: ${NOTICE_NAMES[one.notice]}`}
            >
              {one.isOn ? 'Stop' : 'Start again'}
            </Switch>
          </li>
        ))}
      </ul>
      <div className="mt-4">
        {someOn ? (
          <Switch action={action} kind="all" intent="stop" variant={notice === 'all' ? 'primary' : 'plain'}>
            Stop all notices
          </Switch>
        ) : (
          <Switch action={action} kind="all" intent="start">
            Resume all
          </Switch>
        )}
      </div>
    </>
  )
}

function Switch({
  action,
  kind,
  intent,
  variant = 'plain',
  label,
  children,
}: {
  action: string
  kind: Kind | 'all'
  intent: 'stop' | 'start'
  variant?: ButtonVariant
  label?: string
  children: string
}) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="notice" value={kind} />
      <input type="hidden" name="want" value={intent} />
      <button type="submit" aria-label={label} className={buttonVariants(variant)}>
        {children}
      </button>
    </form>
  )
}
