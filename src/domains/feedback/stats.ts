import { sql } from 'kysely'
import { z } from 'zod'
import { count, list, object } from '../../kernel/args.ts'
import type { OperatorContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'

interface StatsWindow {
  from?: string | undefined
  until?: string | undefined
}

/** `items` counts feedback items; `occurrences` counts how often they occurred, without those moved from duplicates. */
const COUNT_FIELDS = { items: count(), occurrences: count(0, Number.MAX_SAFE_INTEGER) }
const counts = <N extends string>(name: N) => list(object({ ...({ [name]: z.string() } as Record<N, z.ZodString>), ...COUNT_FIELDS }))

export const FeedbackStats = {
  ...COUNT_FIELDS,
  byStatus: counts('status'),
  byKind: counts('kind'),
  byTool: counts('tool'),
  byVersion: counts('version'),
}

const MAX_GROUPS = 50
const COLUMNS = { status: 'status', kind: 'kind', tool: 'tool', version: 'app_version' } as const

/** Counts feedback items that last occurred from `from` (inclusive) to `until` (exclusive). */
export async function getFeedbackStats(ctx: OperatorContext, window: StatsWindow) {
  if (window.from && window.until && new Date(window.from) >= new Date(window.until))
    throw invalidArguments([{ path: 'until', message: `${window.until} is not after from ${window.from}` }])
  const [all] = await countGroups(ctx, window, sql`'all'`)
  const by = async <N extends keyof typeof COLUMNS>(name: N) => {
    const rows = await countGroups(ctx, window, sql`${sql.ref(COLUMNS[name])}`)
    return rows.map(({ value, ...counted }) => ({ ...({ [name]: value } as Record<N, string>), ...counted }))
  }
  return {
    items: all?.items ?? 0,
    occurrences: all?.occurrences ?? 0,
    byStatus: await by('status'),
    byKind: await by('kind'),
    byTool: await by('tool'),
    byVersion: await by('version'),
  }
}

async function countGroups(ctx: OperatorContext, { from, until }: StatsWindow, value: ReturnType<typeof sql>) {
  let rows = ctx.db
    .selectFrom('feedback')
    .select([
      sql<string>`${value}`.as('value'),
      sql<number>`count(*)::int`.as('items'),
      sql<number>`coalesce(sum(count) filter (where status <> 'duplicate'), 0)::float8`.as('occurrences'),
    ])
    .where(sql<boolean>`${value} is not null`)
  if (from) rows = rows.where('last_at', '>=', new Date(from))
  if (until) rows = rows.where('last_at', '<', new Date(until))
  return rows
    .groupBy(sql`1`)
    .orderBy(sql`items desc, value`)
    .limit(MAX_GROUPS)
    .execute()
}
