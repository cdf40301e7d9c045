import type { Child } from 'hono/jsx'
import { formatTimestamp } from './dates.ts'
import { splitUrl } from './split-url.ts'

export type Tone = 'accent' | 'success' | 'warning' | 'danger'

interface CardProps {
  title?: string | undefined
  actions?: Child
  foot?: Child
  children?: Child
  pad?: boolean
  /** The id of the card, for links to it. */
  id?: string | undefined
}

export const Card = ({ title, actions, foot, children, pad = true, id }: CardProps) => (
  <section class="card" id={id}>
    {title ? (
      <header>
        <h2>{title}</h2>
        {actions ? <div class="row">{actions}</div> : null}
      </header>
    ) : null}
    {pad ? <div class="card-body">{children}</div> : children}
    {foot ? <footer>{foot}</footer> : null}
  </section>
)

/** Capitalizes a status. Statuses are stored in lower case and begin with a capital letter where they stand alone. */
const capitalized = (children: Child): Child =>
  typeof children === 'string' ? children.charAt(0).toUpperCase() + children.slice(1) : children

export const StatusLabel = ({ tone, children }: { tone?: Tone | undefined; children: Child }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{capitalized(children)}</span>
)

/** A status as a dot and a word: less prominent than a badge, for table rows. */
export const Status = ({ tone, hollow = false, children }: { tone?: Tone | undefined; hollow?: boolean; children: Child }) => (
  <span class={['status', tone, hollow && 'hollow'].filter(Boolean).join(' ')}>{capitalized(children)}</span>
)

export const Notice = ({ tone, children }: { tone?: Tone; children: Child }) => (
  <div class={tone && tone !== 'accent' ? `notice ${tone}` : 'notice'} role="status">
    {children}
  </div>
)

/** An empty state: what to do next, and a sentence to give to an assistant. */
export const EmptyState = ({ title, ask, children }: { title: string; ask?: string | undefined; children?: Child }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
    {ask ? <p class="ask">Ask your assistant: “{ask}”</p> : null}
  </div>
)

export interface TableColumn<Row> {
  label: string
  cell: (row: Row) => Child
  /** Whether the column holds numbers, which are right-aligned. */
  number?: boolean
  /** Whether the column identifies the row; on phones it becomes the row's title. */
  lead?: boolean
  /** Whether the column holds short codes or numbers, which never wrap. Columns without a label, which hold buttons, never wrap either. */
  short?: boolean
  /** Whether the column repeats what another one shows, and is left out on phones. */
  wideOnly?: boolean
  /**
   * The column's place in rows of two lines on phones: `mark` beside the title, `detail` below the title, `figure` below the mark. A table
   * with such columns leaves out all others on phones.
   */
  twoLine?: 'mark' | 'detail' | 'figure'
}

const cellClasses = <Row,>({ number, lead, short, label, wideOnly, twoLine }: TableColumn<Row>) =>
  [number && 'number', lead && 'lead', (short || label === '') && 'short', wideOnly && 'wide-only', twoLine].filter(Boolean).join(' ') ||
  undefined

export function Table<Row>({ caption, columns, rows }: { caption: string; columns: TableColumn<Row>[]; rows: readonly Row[] }) {
  const isTwoLine = columns.some(({ twoLine }) => twoLine)
  return (
    <div class="table-wrap" tabindex={0} role="region" aria-label={caption}>
      <table class={isTwoLine ? 'table folds two-line' : 'table folds'}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.number ? 'number' : undefined}>
                {column.label || <span class="hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) => (
                <td data-label={isTwoLine ? undefined : column.label} class={cellClasses(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** An address that may break after a slash. */
const BreakableUrl = ({ url }: { url: string }) => (
  <>
    {splitUrl(url).map((part, index) => (
      <>
        {index > 0 ? <wbr /> : null}
        {part}
      </>
    ))}
  </>
)

/** A text with a copy button. Without scripts the text can still be selected. */
export const CopyableText = ({ id, text, block = false }: { id: string; text: string; block?: boolean }) => (
  <div class="copy">
    {block ? (
      <pre id={id} tabindex={0}>
        {/^https?:/.test(text) ? <BreakableUrl url={text} /> : text}
      </pre>
    ) : (
      <code id={id} tabindex={0}>
        {text}
      </code>
    )}
    <button type="button" class="button small needs-script" data-copy={id}>
      Copy
    </button>
  </div>
)

/** A button that opens the browser's print dialog. The print styles leave out navigation and forms. */
export const PrintButton = ({ children }: { children: Child }) => (
  <button type="button" class="button small needs-script" data-print>
    {children}
  </button>
)

/** A sentence to give to an assistant, with a copy button. */
export const AssistantPrompt = ({ id, text }: { id: string; text: string }) => (
  <div class="ask-copy">
    <p>
      <span class="hidden">Ask your assistant: </span>
      <span id={id} dir="auto">
        {text}
      </span>
    </p>
    <button type="button" class="button small needs-script" data-copy={id}>
      Copy<span class="hidden"> this sentence</span>
    </button>
  </div>
)

export const Facts = ({ rows }: { rows: [label: string, value: Child][] }) => (
  <dl class="facts">
    {rows.map(([label, value]) => (
      <>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)

/** A readable time, with the exact time on hover. */
export const Time = ({ at }: { at: Date | null }) =>
  at ? (
    <time datetime={at.toISOString()} title={`${at.toISOString()} (UTC)`}>
      {formatTimestamp(at)}
    </time>
  ) : (
    <span class="muted">never</span>
  )

export interface PageLinks {
  next: string | null
  first: string | null
}

export const Pagination = ({ next, first }: PageLinks) =>
  next || first ? (
    <nav class="pagination" aria-label="Pages">
      {first ? (
        <a class="button small" href={first}>
          First page
        </a>
      ) : (
        <span />
      )}
      {next ? (
        <a class="button small" href={next}>
          Next page
        </a>
      ) : null}
    </nav>
  ) : null

const initials = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()

/** The initials of a person, always shown beside the full name. */
export const Avatar = ({ name }: { name: string }) => (
  <span class="avatar small" aria-hidden="true">
    {initials(name)}
  </span>
)
