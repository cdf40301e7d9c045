import type { Child } from 'hono/jsx'
import { momentInWords } from './dates.ts'

export type Tone = 'accent' | 'success' | 'warning' | 'danger'

export const Card = ({
  title,
  actions,
  foot,
  children,
  pad = true,
}: {
  title?: string
  actions?: Child
  foot?: Child
  children?: Child
  pad?: boolean
}) => (
  <section class="card">
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

export const Badge = ({ tone, children }: { tone?: Tone; children: Child }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
)

/** Quieter than a badge, for rows: a dot and a word. */
export const Status = ({ tone, hollow = false, children }: { tone?: Tone; hollow?: boolean; children: Child }) => (
  <span class={['status', tone, hollow && 'hollow'].filter(Boolean).join(' ')}>{children}</span>
)

export const Notice = ({ tone, children }: { tone?: Tone; children: Child }) => (
  <div class={tone && tone !== 'accent' ? `notice ${tone}` : 'notice'} role="status">
    {children}
  </div>
)

/** Nothing here yet: what comes next, and the sentence that lets an assistant do it. */
export const Empty = ({ title, ask, children }: { title: string; ask?: string; children?: Child }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
    {ask ? <p class="ask">Ask your assistant: “{ask}”</p> : null}
  </div>
)

export interface Column<Row> {
  label: string
  cell: (row: Row) => Child
  /** Right-aligned figures. */
  number?: boolean
  /** What the row is about; on a phone it becomes the row's title. */
  lead?: boolean
  /** Never more than a few letters, as a code or a number, which keep their line; buttons without a label do by themselves. */
  short?: boolean
}

export function Table<Row>({ caption, columns, rows }: { caption: string; columns: Column<Row>[]; rows: readonly Row[] }) {
  return (
    <div class="table-wrap" tabindex={0} role="region" aria-label={caption}>
      <table class="table folds">
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
                <td
                  data-label={column.label}
                  class={
                    [column.number && 'number', column.lead && 'lead', (column.short || column.label === '') && 'short']
                      .filter(Boolean)
                      .join(' ') || undefined
                  }
                >
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

/** A text to take away: selectable without scripts, copied at a click with them. */
export const Copy = ({ id, text, block = false }: { id: string; text: string; block?: boolean }) => (
  <div class="copy">
    {block ? (
      <pre id={id} tabindex={0}>
        {text}
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

/** What to say to an assistant, to take along. */
export const Ask = ({ id, text }: { id: string; text: string }) => (
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

/** A moment as people read it, with the exact one on hover. */
export const Time = ({ at }: { at: Date | null }) =>
  at ? (
    <time datetime={at.toISOString()} title={`${at.toISOString()} (UTC)`}>
      {momentInWords(at)}
    </time>
  ) : (
    <span class="muted">never</span>
  )

export const Pagination = ({ next, first }: { next: string | null; first: string | null }) =>
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

/** Who it was, at a glance; the name stands beside it. */
export const Avatar = ({ name }: { name: string }) => (
  <span class="avatar small" aria-hidden="true">
    {initials(name)}
  </span>
)
