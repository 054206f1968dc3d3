'use client'

import { Bookmark } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { TOOL_BUTTON } from '#components/ui/filter-button.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { Menu } from '#components/ui/menu.tsx'
import { ToolLabel } from '#components/ui/tool-label.tsx'
import type { View } from '#lib/workspace/views/contract.ts'
import { isSameQuery, type ViewPath } from '#lib/workspace/views/rules.ts'
import { currentViewSearch } from './current-view.ts'
import { useViews } from './use-views.ts'

const ViewList = lazyWithPreload(
  () => import('./view-list.tsx').then(({ ViewList }) => ViewList),
  () => <div className="h-20" />,
)
const SaveView = lazyWithPreload(() => import('./save-view.tsx').then(({ SaveView }) => SaveView))
const ViewDialog = lazyWithPreload(() => import('./view-dialog.tsx').then(({ ViewDialog }) => ViewDialog))

/** Menu next to a list's filters: its saved views, and the button that saves the present one. */
export function ViewMenu({ path }: { path: ViewPath }) {
  const all = useViews()
  const query = currentViewSearch(useSearchParams())
  const [dialog, setDialog] = useState<'save' | View>()
  const views = all.views.filter((view) => view.path === path)
  const current = views.find((view) => isSameQuery(view.query, query))
  const close = () => setDialog(undefined)
  return (
    <>
      <Menu
        label={current ? `Views: ${escapeInvisible(current.name)}` : 'Views'}
        title="Views"
        preload={ViewList.preload}
        className="w-74"
        buttonClassName={TOOL_BUTTON}
        button={
          <ToolLabel icon={Bookmark} matters={current !== undefined}>
            {current ? escapeInvisible(current.name) : 'Views'}
          </ToolLabel>
        }
      >
        {(closeMenu) => (
          <ViewList
            views={views}
            current={current}
            onNavigate={closeMenu}
            onOpen={(next) => {
              closeMenu()
              setDialog(next)
            }}
          />
        )}
      </Menu>
      {dialog === 'save' ? (
        <SaveView path={path} query={query} mayShare={all.mayShare} onClose={close} />
      ) : dialog ? (
        <ViewDialog view={views.find(({ id }) => id === dialog.id) ?? dialog} all={all} onClose={close} />
      ) : null}
    </>
  )
}
