import 'server-only'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Group } from '../openapi/document.ts'
import { assistantsPage } from './assistants.ts'
import { errorsPage } from './errors.ts'
import {
  authenticationPage,
  changesPage,
  clientsPage,
  limitsPage,
  listsPage,
  overviewPage,
  versioningPage,
} from './guide.ts'
import { type Block, parseMarkdown, plainText } from './markdown.ts'
import { referencePage } from './reference.ts'

/** Page for developers. The overview has the empty slug. */
export type DeveloperPage = {
  slug: string
  title: string
  section: 'Guide' | 'Reference'
  /** Returns the page's source in Markdown, for a console at this address. */
  markdown(baseUrl: string): string
}

const GUIDE: readonly DeveloperPage[] = [
  { slug: '', title: 'Quick start', section: 'Guide', markdown: overviewPage },
  {
    slug: 'authentication',
    title: 'Authentication and roles',
    section: 'Guide',
    markdown: authenticationPage,
  },
  { slug: 'lists', title: 'Lists', section: 'Guide', markdown: listsPage },
  { slug: 'changes', title: 'Changes and retries', section: 'Guide', markdown: changesPage },
  {
    slug: 'receive-webhooks',
    title: 'Receive webhooks',
    section: 'Guide',
    markdown: () => documentPage('webhooks.md'),
  },
  { slug: 'errors', title: 'Errors', section: 'Guide', markdown: errorsPage },
  { slug: 'limits', title: 'Limits', section: 'Guide', markdown: limitsPage },
  { slug: 'versions', title: 'Versions', section: 'Guide', markdown: versioningPage },
  { slug: 'clients', title: 'Typed clients', section: 'Guide', markdown: clientsPage },
  { slug: 'assistants', title: 'Assistants', section: 'Guide', markdown: assistantsPage },
  {
    slug: 'changelog',
    title: 'Changelog',
    section: 'Guide',
    markdown: () => documentPage('api-changelog.md'),
  },
]

/** Returns all pages: the guide, and one for each group of calls. */
export function developerPages(groups: readonly Group[]): readonly DeveloperPage[] {
  const reference = groups.map(
    (group): DeveloperPage => ({
      slug: group.tag.toLowerCase().replaceAll(' ', '-'),
      title: group.tag,
      section: 'Reference',
      markdown: (baseUrl) => referencePage(group, baseUrl),
    }),
  )
  return [...GUIDE, ...reference]
}

/** Returns the path of a page. */
export function pathOf({ slug }: Pick<DeveloperPage, 'slug'>): string {
  return slug === '' ? '/developers' : `/developers/${slug}`
}

/**
 * Returns a document of the repository. Its links to other files lead nowhere here, so that only their text is left.
 * @throws Error where the file was not installed with the product
 */
function documentPage(name: 'api-changelog.md' | 'webhooks.md'): string {
  const text = readFileSync(join(process.cwd(), 'docs', name), 'utf8')
  return text.trimEnd().replaceAll(/\[([^\]]+)\]\((?!https?:|\/)[^)]+\)/g, '$1')
}

/** Section of a page that a search finds. */
export type Match = { page: string; title: string; href: string; excerpt: string }

const MAX_MATCHES = 40
const MAX_EXCERPT_LENGTH = 160

/** Returns the sections that contain all words, those with the words in their headings first. */
export function searchPages(pages: readonly DeveloperPage[], search: string, baseUrl: string): Match[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return []
  const hasAll = (text: string) => terms.every((term) => text.toLowerCase().includes(term))
  const matching = pages
    .flatMap((page) => sectionsOf(page, baseUrl))
    .filter(({ title, text }) => hasAll(`${title} ${text}`))
    .toSorted((one, other) => Number(hasAll(other.title)) - Number(hasAll(one.title)))
  return matching
    .slice(0, MAX_MATCHES)
    .map(({ text, ...match }) => ({ ...match, excerpt: excerptOf(text, terms) }))
}

type Section = Omit<Match, 'excerpt'> & { text: string }

function sectionsOf(page: DeveloperPage, baseUrl: string): Section[] {
  const sections: Section[] = []
  for (const block of parseMarkdown(page.markdown(baseUrl))) {
    if (block.kind === 'heading' && block.level <= 2) {
      const href = block.level === 1 ? pathOf(page) : `${pathOf(page)}#${block.id}`
      sections.push({ page: page.title, title: plainText(block.content), href, text: '' })
      continue
    }
    const last = sections.at(-1)
    if (last) last.text += ` ${textOf(block)}`
  }
  return sections
}

function textOf(block: Block): string {
  if (block.kind === 'heading' || block.kind === 'paragraph') return plainText(block.content)
  if (block.kind === 'list') return block.items.map(plainText).join(' ')
  if (block.kind === 'table') return block.rows.flat().map(plainText).join(' ')
  return ''
}

function excerptOf(text: string, terms: readonly string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(terms[0] ?? '') - MAX_EXCERPT_LENGTH / 4)
  const cut = text.slice(at, at + MAX_EXCERPT_LENGTH).trim()
  return `${at > 0 ? '…' : ''}${cut}${at + MAX_EXCERPT_LENGTH < text.length ? '…' : ''}`
}
