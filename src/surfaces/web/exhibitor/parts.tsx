import type { Child } from 'hono/jsx'
import { Form } from '../components/forms.tsx'

const PATHS = {
  open: (
    <>
      <circle cx="10" cy="10" r="7.5" />
      <path d="M10 5.8V10l2.8 2" />
    </>
  ),
  done: <path d="M4 10.5l4 4 8-9" />,
  next: <path d="M8 4.5l5.5 5.5L8 15.5" />,
  down: <path d="M10 3.5v9.5M5.8 9.2L10 13.4l4.2-4.2M4 16.8h12" />,
}

export const PortalIcon = ({ of }: { of: keyof typeof PATHS }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    {PATHS[of]}
  </svg>
)

/** A bar that shows how much of a total is used. */
export const UsageBar = ({ used, total, label }: { used: number; total: number; label: string }) => (
  <svg class="meter" role="img" aria-label={label}>
    <rect class="rest" width="100%" height="100%" />
    <rect class={used > total ? 'over' : 'full'} width={`${total > 0 ? Math.min(100, (100 * used) / total) : 0}%`} height="100%" />
  </svg>
)

/** A number with the total that it is a part of. */
export const CountWithTotal = ({ count, text }: { count: number; text: string }) => (
  <p class="count-of">
    <b>{count}</b> <span class="muted">{text}</span>
  </p>
)

const STAR = 'M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.3-.6z'

export const StarRating = ({ rating, label }: { rating: number; label: string }) => (
  <span class="stars" role="img" aria-label={label}>
    {[1, 2, 3, 4, 5].map((star) => (
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path class={star <= rating ? 'on' : undefined} d={STAR} />
      </svg>
    ))}
  </span>
)

/** A card with a small heading, beside the main column. */
export const SidebarCard = ({ id, title, children }: { id: string; title: string; children: Child }) => (
  <section class="card side" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

interface PortalColumn<Row> {
  label: string
  number?: boolean
  cell: (row: Row) => Child
}

interface PortalTableProps<Row> {
  caption: string
  rows: readonly Row[]
  /** The first column, which identifies a row: its name, and a second line below it. */
  lead: { label: string; name: (row: Row) => string; more: (row: Row) => Child }
  columns: readonly PortalColumn<Row>[]
  /** The last column, which contains a menu. Its label is only for screen readers. */
  menu: { label: string; cell: (row: Row) => Child }
}

/** A table in the exhibitor portal, such as the staff of a company. Each row has a menu; on phones each row is a card. */
export const PortalTable = <Row,>({ caption, rows, lead, columns, menu }: PortalTableProps<Row>) => (
  <section class="card">
    <table class="table folds">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{lead.label}</th>
          {columns.map(({ label, number }) => (
            <th scope="col" class={number ? 'number' : undefined}>
              {label}
            </th>
          ))}
          <th scope="col">
            <span class="hidden">{menu.label}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <span dir="auto">{lead.name(row)}</span>
              <small class="muted">{lead.more(row)}</small>
            </th>
            {columns.map(({ label, number, cell }) => (
              <td data-label={label} class={number ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
            <td class="number">{menu.cell(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

interface RowMenuProps {
  label: string
  /** The name of the record that the row shows, for screen readers. */
  about: string
  action: string
  csrf: string
  children: Child
  /** The button that deletes the record shown in the row. */
  remove: { label: string; name?: string; value?: string }
}

/** The menu of one row: a form to edit the record, which ends with the button that deletes it. */
export const RowMenu = ({ label, about, action, csrf, children, remove: { label: removeLabel, ...submitted } }: RowMenuProps) => (
  <details class="row-menu">
    <summary>
      {label}
      <span class="hidden"> {about}</span>
    </summary>
    <Form action={action} csrf={csrf} class="stack">
      {children}
      <div>
        <button type="submit" class="button small danger" {...submitted}>
          {removeLabel}
          <span class="hidden"> {about}</span>
        </button>
      </div>
    </Form>
  </details>
)
