import { sql } from 'kysely'
import type { QueryEntity } from '../dictionary/types.ts'
import type { QuerySnapshot } from '../query/snapshot.ts'

interface PlanNode {
  'Plan Rows': number
  Plans?: PlanNode[]
}

/** Estimates the number of rows of each entity at the event, from one query plan; empty if the plan has an unexpected form. */
export async function estimateRows({ db, scope, event }: QuerySnapshot, entities: readonly QueryEntity[]): Promise<(number | undefined)[]> {
  if (entities.length < 2) return []
  const parts = entities.map(
    ({ source }) => sql`select 1 from ${sql.raw(source)} r where r.tenant_id = ${scope.tenantId} and r.event_id = ${event.id}`,
  )
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>`explain (format json) ${sql.join(parts, sql` union all `)}`.execute(db)
  const nodes = rows[0]!['QUERY PLAN'][0]!.Plan.Plans ?? []
  return nodes.length === entities.length ? nodes.map((node) => node['Plan Rows']) : []
}
