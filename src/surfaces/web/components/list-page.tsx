import type { Child } from 'hono/jsx'
import { Form } from './forms.tsx'
import { renderContentPage, type RenderedPage, type PageHeaderProps } from './page.tsx'
import { Card, EmptyState, Pagination, type PaginationLinks, DataTable, type TableColumn } from './parts.tsx'
import { SearchBar, type SearchBarProps } from './search-bar.tsx'

export interface ListCardProps<Row> {
  /** Name of the table for screen readers. */
  caption: string
  columns: TableColumn<Row>[]
  rows: readonly Row[]
  /** The content shown instead of the table if there are no rows: a full empty state, or one sentence. */
  empty?: string | { title: string; ask?: string; text?: Child }
  title?: string | undefined
  actions?: Child
  search?: SearchBarProps
  pages?: PaginationLinks
  foot?: Child
  id?: string
}

const Empty = ({ empty }: { empty: NonNullable<ListCardProps<never>['empty']> }) => {
  if (typeof empty === 'string') return <p class="muted card-pad">{empty}</p>
  return (
    <EmptyState title={empty.title} ask={empty.ask}>
      {empty.text ? <p>{empty.text}</p> : null}
    </EmptyState>
  )
}

/** A card with search, table, empty state and pagination. */
export const ListCard = <Row,>({ caption, columns, rows, empty, title, actions, search, pages, foot, id }: ListCardProps<Row>) => (
  <Card title={title} actions={actions} foot={foot} pad={false} id={id}>
    {search ? <SearchBar {...search} /> : null}
    {rows.length === 0 && empty ? <Empty empty={empty} /> : <DataTable caption={caption} columns={columns} rows={rows} />}
    {pages ? <Pagination {...pages} shown={rows.length} /> : null}
  </Card>
)

interface RowAction {
  action: string
  csrf: string
  label: string
  /** The name of the record that the button acts on, for screen readers. */
  about: string
  hidden?: Readonly<Record<string, string>>
  danger?: boolean
}

/** The table column with one button in each row; an empty list of columns if the buttons are not shown. */
export const buildActionColumns = <Row,>(shown: boolean, actionOf: (row: Row) => RowAction | null): TableColumn<Row>[] =>
  shown ? [{ label: '', cell: (row) => <RowButton of={actionOf(row)} /> }] : []

const RowButton = ({ of }: { of: RowAction | null }) =>
  of ? (
    <Form action={of.action} csrf={of.csrf} class="actions">
      {Object.entries(of.hidden ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={of.danger ? 'button danger small' : 'button small'} aria-label={`${of.label} ${of.about}`}>
        {of.label}
      </button>
    </Form>
  ) : null

interface ListPageProps<Row> extends PageHeaderProps, Omit<ListCardProps<Row>, 'title' | 'actions'> {
  /** Content above the list. */
  before?: Child
  /** Content below the list. */
  after?: Child
}

/** A page with a heading and one list. */
export const renderListPage = <Row,>(page: ListPageProps<Row>): RenderedPage =>
  renderContentPage(
    page,
    <>
      {page.before}
      <ListCard {...page} title={undefined} actions={undefined} />
      {page.after}
    </>,
  )
