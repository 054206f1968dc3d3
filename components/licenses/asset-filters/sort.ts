import { hrefOf, type View } from '#components/licenses/assets/view.ts'
import { listSort } from '#components/lists/filters/list-sort.ts'

/** The orders of the list of assets, and the headers that select them. */
export const { sortName, sortableHeaderProps, sortOptions } = listSort<View>(
  hrefOf,
  {
    'created desc': 'Newest first',
    'created asc': 'Oldest first',
    'name asc': 'By name, A to Z',
    'name desc': 'By name, Z to A',
    'renewal asc': 'Renewal soonest first',
    'renewal desc': 'Renewal latest first',
    'idle desc': 'Most unassigned first',
    'idle asc': 'Fewest unassigned first',
  },
  ['name', 'renewal'],
)
