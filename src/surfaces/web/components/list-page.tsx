import type { Child } from 'hono/jsx'
import { contentPage, type Page, type PageHead } from './page.tsx'
import { Card, EmptyState, Pagination, type PageLinks, Table, type TableColumn } from './parts.tsx'
import { SearchBar, type SearchBarProps } from './search-bar.tsx'

export interface ListProps<Row> {
  /** Name of the table for screen readers. */
  caption: string
  columns: TableColumn<Row>[]
  rows: readonly Row[]
  /** Shown instead of the table if there are no rows: a full empty state, or one sentence. */
  empty?: string | { title: string; ask?: string; text?: Child }
  title?: string | undefined
  actions?: Child
  search?: SearchBarProps
  pages?: PageLinks
  foot?: Child
}

const Empty = ({ empty }: { empty: NonNullable<ListProps<never>['empty']> }) => {
  if (typeof empty === 'string') return <p class="muted card-pad">{empty}</p>
  return (
    <EmptyState title={empty.title} ask={empty.ask}>
      {empty.text ? <p>{empty.text}</p> : null}
    </EmptyState>
  )
}

/** A card with search, table, empty state and pagination. */
export const ListCard = <Row,>({ caption, columns, rows, empty, title, actions, search, pages, foot }: ListProps<Row>) => (
  <Card title={title} actions={actions} foot={foot} pad={false}>
    {search ? <SearchBar {...search} /> : null}
    {rows.length === 0 && empty ? <Empty empty={empty} /> : <Table caption={caption} columns={columns} rows={rows} />}
    {pages ? <Pagination {...pages} /> : null}
  </Card>
)

interface ListPageProps<Row> extends PageHead, Omit<ListProps<Row>, 'title' | 'actions'> {
  /** Shown above the list. */
  before?: Child
  /** Shown below the list. */
  after?: Child
}

/** A page with a heading and one list. */
export const listPage = <Row,>(page: ListPageProps<Row>): Page =>
  contentPage(
    page,
    <>
      {page.before}
      <ListCard {...page} title={undefined} actions={undefined} />
      {page.after}
    </>,
  )
