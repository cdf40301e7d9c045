import type { JoinBuilder, StringReference } from 'kysely'
import type { Db } from './columns.ts'

export interface TenantScope {
  db: Db
  tenantId: number
}

export interface EventScope extends TenantScope {
  event: { id: string }
}

/** Kysely's query builders, restricted to the rows of one tenant or one event. */
export type ScopedDb = Pick<Db, 'selectFrom' | 'updateTable' | 'deleteFrom'> & { readonly isScoped: true }

/** Queries on one table, with other tables joined to it, that can only reach rows of the context's tenant. */
export const tenantDb = ({ db, tenantId }: TenantScope): ScopedDb => scope(db, { tenant_id: tenantId })

/** Queries on one table, with other tables joined to it, that can only reach rows of the context's event. */
export const eventDb = ({ db, tenantId, event }: EventScope): ScopedDb => scope(db, { tenant_id: tenantId, event_id: event.id })

/**
 * Adds the condition of a join on two columns, such as `joinRowsOfSameEvent(join, 'orders.id', 'invoices.order_id')`, between rows of the same
 * tenant and event.
 */
export function joinRowsOfSameEvent<DB, TB extends keyof DB>(
  join: JoinBuilder<DB, TB>,
  left: StringReference<DB, TB>,
  right: StringReference<DB, TB>,
): JoinBuilder<DB, TB> {
  const beside = (column: StringReference<DB, TB>, name: string) => `${column.slice(0, column.indexOf('.'))}.${name}` as never
  return ['tenant_id', 'event_id']
    .reduce((joined, name) => joined.onRef(beside(left, name), '=', beside(right, name)), join)
    .onRef(left, '=', right)
}

function scope(db: Db, columns: Record<string, unknown>): ScopedDb {
  const restrict =
    (start: 'selectFrom' | 'updateTable' | 'deleteFrom') =>
    (table: string): unknown => {
      const name = table.split(' as ').at(-1)!
      let query = (db[start] as unknown as (table: string) => Query)(table)
      for (const [column, value] of Object.entries(columns)) query = query.where(`${name}.${column}`, '=', value)
      return query
    }
  return {
    isScoped: true,
    selectFrom: restrict('selectFrom'),
    updateTable: restrict('updateTable'),
    deleteFrom: restrict('deleteFrom'),
  } as unknown as ScopedDb
}

interface Query {
  where: (column: string, operator: '=', value: unknown) => Query
}
