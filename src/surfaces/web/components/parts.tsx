import { type Child, createContext, useContext } from 'hono/jsx'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { formatTimestamp } from './dates.ts'
import { formatInteger } from './figures.tsx'
import { splitUrlAtSlashes } from './split-url.ts'

export type ColourTone = 'accent' | 'success' | 'warning' | 'danger'

interface CardProps {
  title?: string | undefined
  actions?: Child
  foot?: Child
  children?: Child
  pad?: boolean
  /** The HTML id of this section of the page, for links to it. */
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

export const StatusLabel = ({ tone, children }: { tone?: ColourTone | undefined; children: Child }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{capitalized(children)}</span>
)

/** A status as a dot and a word: less prominent than a badge, for table rows. */
export const StatusDot = ({ tone, hollow = false, children }: { tone?: ColourTone | undefined; hollow?: boolean; children: Child }) => (
  <span class={['status', tone, hollow && 'hollow'].filter(Boolean).join(' ')}>{capitalized(children)}</span>
)

export const Notice = ({ tone, children }: { tone?: ColourTone; children: Child }) => (
  <div class={tone && tone !== 'accent' ? `notice ${tone}` : 'notice'} role="status">
    {children}
  </div>
)

/** An empty state: what to do next, and a sentence to give to an assistant. */
export const EmptyState = ({ title, ask, children }: { title: string; ask?: string | undefined; children?: Child }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
    {ask ? <AssistantPrompt id={`ask-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`} text={ask} /> : null}
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
  /** Whether the column is left out on phones, because it repeats the content of another column. */
  wideOnly?: boolean
  /**
   * The position of the column on phones, where a row has two lines: `mark` beside the title, `detail` below the title, `figure` below the
   * mark, and `below` on a third line, in rows with a value. If one column of a table has a position, columns without one are hidden on
   * phones.
   */
  twoLine?: 'mark' | 'detail' | 'figure' | 'below'
}

const cellClasses = <Row,>({ number, lead, short, label, wideOnly, twoLine }: TableColumn<Row>) =>
  [number && 'number', lead && 'lead', (short || label === '') && 'short', label === '' && 'row-actions', wideOnly && 'wide-only', twoLine]
    .filter(Boolean)
    .join(' ') || undefined

export function DataTable<Row>({ caption, columns, rows }: { caption: string; columns: TableColumn<Row>[]; rows: readonly Row[] }) {
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

/** A URL that may break into lines after a slash. */
const BreakableUrl = ({ url }: { url: string }) => (
  <>
    {splitUrlAtSlashes(url).map((part, index) => (
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

/** A prompt to give to an assistant, with a copy button. In lists, "Ask your assistant:" is hidden except from screen readers. */
export const AssistantPrompt = ({ id, text, introduced = true }: { id: string; text: string; introduced?: boolean }) => (
  <div class="ask-copy">
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 3.5A1.5 1.5 0 0 1 3.5 2h9A1.5 1.5 0 0 1 14 3.5v6a1.5 1.5 0 0 1-1.5 1.5H7l-3.5 3v-3A1.5 1.5 0 0 1 2 9.5z" />
    </svg>
    <p>
      <span class={introduced ? 'muted' : 'hidden'}>Ask your assistant: </span>
      <span id={id} dir="auto">
        {text}
      </span>
    </p>
    <button type="button" class="button small needs-script" data-copy={id}>
      Copy<span class="hidden"> this sentence</span>
    </button>
  </div>
)

/** Content that is collapsed on phones: only its title is visible until the user expands it. */
export const MobileCollapsibleSection = ({ title, open = false, children }: { title: string; open?: boolean; children: Child }) => (
  <details class="narrow-fold" open={open}>
    <summary>{title}</summary>
    {children}
  </details>
)

/** Email addresses wrap after the @ if the column is too narrow for them. */
const toBreakableText = (value: Child): Child => {
  const at = typeof value === 'string' && !value.includes(' ') ? value.indexOf('@') + 1 : 0
  return at === 0 || typeof value !== 'string' ? (
    value
  ) : (
    <>
      {value.slice(0, at)}
      <wbr />
      {value.slice(at)}
    </>
  )
}

export const DescriptionList = ({ rows }: { rows: [label: string, value: Child][] }) => (
  <dl class="facts">
    {rows.map(([label, value]) => (
      <>
        <dt>{label}</dt>
        <dd>{toBreakableText(value)}</dd>
      </>
    ))}
  </dl>
)

/** The time zone of all times of a page: that of its event, or UTC. The layout sets it. */
export const TimeZoneContext = createContext('UTC')

/** A timestamp as text, with the time zone on hover. On pages that contain one, the layout names the time zone. */
export const TimestampText = ({ at }: { at: Date | null }) => {
  const zone = useContext(TimeZoneContext)
  return at ? (
    <time class="stamp" datetime={at.toISOString()} title={formatInstantWithTimeZone('en-GB', at, zone)}>
      {formatTimestamp(at, zone)}
    </time>
  ) : (
    <span class="muted">never</span>
  )
}

export interface PaginationLinks {
  next: string | null
  first: string | null
  /** The number of rows on all pages, if it is known. */
  total?: number | undefined
}

/**
 * Links to further pages of a list. Only the first page can number its rows, because a cursor does not contain the position of the next
 * row.
 */
export const Pagination = ({ next, first, total, shown }: PaginationLinks & { shown?: number }) =>
  next || first ? (
    <nav class="pagination" aria-label="Pages">
      {first ? (
        <a class="button small" href={first}>
          First page
        </a>
      ) : null}
      {total === undefined ? null : (
        <span class="muted">
          {first || shown === undefined ? `${formatInteger(total)} in total` : `1–${formatInteger(shown)} of ${formatInteger(total)}`}
        </span>
      )}
      {next ? (
        <a class="button small" rel="next" href={next}>
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
