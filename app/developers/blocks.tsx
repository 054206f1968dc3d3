import Link from 'next/link'
import type { ReactNode } from 'react'
import { Code } from '#components/developers/code.tsx'
import { KeyLine } from '#components/developers/key-line.tsx'
import { TryIt } from '#components/developers/try-it.tsx'
import type { Block, Inline } from '#lib/platform/api/developers/markdown.ts'
import { tryCallOf } from './content.ts'

/** Names of the languages that have samples. */
const SAMPLES: Record<string, string> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }
const KEY_PLACEHOLDER = 'lic_…'

/** Renders a page. `signIn` is the address to sign in at, for readers without a session. */
export function Blocks({ blocks, signIn }: { blocks: readonly Block[]; signIn: string | undefined }) {
  return grouped(blocks).map((group, index) => {
    const key = `${index}`
    if (group.length > 1)
      return <Samples key={key} samples={group as CodeBlock[]} name={`samples-${index}`} />
    const [block] = group
    return block ? <OneBlock key={key} block={block} signIn={signIn} /> : null
  })
}

type CodeBlock = Extract<Block, { kind: 'code' }>

/** Returns the blocks, with samples of different languages that follow each other in one group. */
function grouped(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = []
  for (const block of blocks) {
    const last = groups.at(-1)
    const isNext = isSample(block) && last?.every((one) => isSample(one) && one.language !== block.language)
    if (isNext) last?.push(block)
    else groups.push([block])
  }
  return groups
}

function isSample(block: Block): block is CodeBlock {
  return block.kind === 'code' && block.language in SAMPLES
}

/** Samples of one request: one is open at a time, and all of them are printed. */
function Samples({ samples, name }: { samples: readonly CodeBlock[]; name: string }) {
  return (
    <div className="mt-3 grid min-w-0 gap-1">
      {samples.map(({ language, text }, index) => (
        <details
          key={language}
          name={name}
          open={index === 0}
          className="min-w-0 print:details-content:[content-visibility:visible]"
        >
          <summary className="rounded-sm py-1.5 text-sm font-medium text-ink-2 hover:text-ink">
            {SAMPLES[language]}
          </summary>
          <Code text={text} label={`the ${SAMPLES[language]} example`} />
        </details>
      ))}
    </div>
  )
}

function OneBlock({ block, signIn }: { block: Block; signIn: string | undefined }) {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />
    case 'paragraph':
      return (
        <p className="mt-3 leading-relaxed wrap-anywhere">
          <Text content={block.content} />
        </p>
      )
    case 'list':
      return <List {...block} />
    case 'code':
      return (
        <div className="mt-3">
          {block.text.includes(KEY_PLACEHOLDER) ? (
            <KeyLine text={block.text} placeholder={KEY_PLACEHOLDER} />
          ) : (
            <Code text={block.text} label="the code" />
          )}
        </div>
      )
    case 'table':
      return <Table {...block} />
    case 'try':
      return <TryBlock call={block.call} signIn={signIn} />
  }
}

function Heading({ level, id, content }: Extract<Block, { kind: 'heading' }>) {
  const [Tag, className] =
    level === 1
      ? (['h1', 'text-title'] as const)
      : level === 2
        ? (['h2', 'mt-10 border-t border-line pt-6 text-lg font-semibold'] as const)
        : (['h3', 'mt-6 font-semibold'] as const)
  const text = <Text content={content} />
  return (
    <Tag id={id} className={`scroll-mt-4 wrap-anywhere ${className}`}>
      {level === 1 ? (
        text
      ) : (
        <a href={`#${id}`} className="rounded-sm hover:underline">
          {text}
        </a>
      )}
    </Tag>
  )
}

/** Returns the items with their positions as keys: React's data in the page has the keys, too, and a page never changes. */
function keyed<T>(items: readonly T[]): [key: string, item: T][] {
  return items.map((item, index) => [`${index}`, item])
}

function List({ start, items }: Extract<Block, { kind: 'list' }>) {
  const Tag = start === undefined ? 'ul' : 'ol'
  const marker = start === undefined ? 'list-disc' : 'list-decimal'
  return (
    <Tag
      {...(start === undefined ? {} : { start })}
      className={`mt-3 grid gap-1.5 pl-5 leading-relaxed ${marker}`}
    >
      {keyed(items).map(([key, item]) => (
        <li key={key} className="wrap-anywhere">
          <Text content={item} />
        </li>
      ))}
    </Tag>
  )
}

// Classes of rows and cells are on the table, once: a table of fields has hundreds of cells, and the page contains each
// element twice, as HTML and for React.
const TABLE = `mt-3 w-full border-collapse text-sm max-md:block
  [&_th]:border-b [&_th]:border-line-2 [&_th]:py-1.5 [&_th]:pr-4 [&_th]:text-left [&_th]:font-medium [&_th]:text-ink-3
  [&_tbody_tr]:border-b [&_tbody_tr]:border-line [&_tbody_tr]:align-top
  max-md:[&_tbody_tr]:block max-md:[&_tbody_tr]:py-2
  [&_td]:py-1.5 [&_td]:pr-4 [&_td]:wrap-anywhere max-md:[&_td]:block max-md:[&_td]:py-0.5 max-md:[&_td]:pr-0
  not-print:md:[&_td:first-child]:min-w-40 not-print:md:[&_td:first-child]:wrap-break-word`

/** Table that becomes stacked rows on a phone. */
function Table({ header, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    <table className={TABLE}>
      <thead className="max-md:sr-only">
        <tr>
          {keyed(header).map(([key, cell]) => (
            <th key={key} scope="col">
              <Text content={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">
        {keyed(rows).map(([rowKey, cells]) => (
          <tr key={rowKey}>
            {keyed(cells).map(([key, cell]) => (
              <td key={key}>
                <Text content={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Form of a call that can be tried, or a link to sign in. */
function TryBlock({ call, signIn }: { call: string; signIn: string | undefined }) {
  const tryCall = tryCallOf(call)
  if (!tryCall) return null
  return (
    <details className="mt-4 rounded-card border border-line-2 bg-surface px-4 py-2.5 print:hidden">
      <summary className="rounded-sm py-1 text-sm font-medium">Try it</summary>
      {signIn === undefined ? (
        <TryIt call={tryCall} />
      ) : (
        <p className="py-2 text-sm">
          <Link href={`${signIn}%23${call}`} prefetch={false} className="text-accent underline">
            Sign in
          </Link>{' '}
          to try it with your own data.
        </p>
      )}
    </details>
  )
}

function Text({ content }: { content: readonly Inline[] }) {
  return content.map((part, index): ReactNode => {
    const key = `${index}`
    if (part.kind === 'link')
      return (
        <TextLink key={key} href={part.href}>
          {part.isCode ? <InlineCode>{part.text}</InlineCode> : part.text}
        </TextLink>
      )
    if (part.kind === 'strong') return <strong key={key}>{part.text}</strong>
    return part.kind === 'code' ? <InlineCode key={key}>{part.text}</InlineCode> : part.text
  })
}

function InlineCode({ children }: { children: string }) {
  return <code className="rounded-sm bg-sunken px-1 py-0.5 font-mono text-[0.92em]">{children}</code>
}

/** Link to another page for developers, to a screen, or to a file of the API, which is no page. */
function TextLink({ href, children }: { href: string; children: ReactNode }) {
  const className = 'rounded-sm text-accent underline'
  const isPage = href.startsWith('/') && !href.startsWith('/billing/')
  return isPage ? (
    <Link href={href} prefetch={false} className={className}>
      {children}
    </Link>
  ) : (
    <a href={href} className={className}>
      {children}
    </a>
  )
}
