import type { RecurringTask } from '../../src/kernel/recurring.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { runInSavepoint } from '../../src/kernel/savepoint.ts'

export const createPick =
  (random: () => number) =>
  <T>(list: readonly T[]): T =>
    list[Math.floor(random() * list.length)]!

interface StateTable {
  can: (from: never, to: never) => boolean
}

/** The status of each row by the row's id. */
export type Statuses = ReadonlyMap<string, string>

/** Asserts that the table of states allows each status change between `before` and `after`, and adds these changes to `seen`. */
export function expectAllowedStatusChanges(name: string, table: StateTable, before: Statuses, after: Statuses, seen: Set<string>): void {
  for (const [id, status] of after) {
    const old = before.get(id)
    if (old === undefined || old === status) continue
    const move = `${name}: ${old} → ${status}`
    if (!table.can(old as never, status as never)) throw new Error(`${move} is not in the table of states`)
    seen.add(move)
  }
}

/** Lists all status changes that a table of states allows, in the format in which they are added to `seen`. */
export const listAllowedStatusChanges = (name: string, { all, can }: { all: readonly string[] } & StateTable): string[] =>
  all.flatMap((from) => all.filter((to) => from !== to && can(from as never, to as never)).map((to) => `${name}: ${from} → ${to}`))

/** Runs a step of a random test. A refused step changes nothing, like a tool call whose transaction is rolled back. */
export const takeStep = async (ctx: EventContext, run: () => Promise<unknown>): Promise<boolean> =>
  (await runInSavepoint(ctx, run)).refused === undefined

/** Runs a recurring task inside the database transaction of a random test. */
export const runTaskIn = (ctx: EventContext, task: RecurringTask): Promise<unknown> =>
  task.run({
    transact: (run: (db: EventContext['db']) => Promise<unknown>) => run(ctx.db),
    commitEach: async (due: readonly unknown[], change: (inner: EventContext, row: unknown) => Promise<unknown>) => {
      for (const row of due) await change(ctx, row)
    },
  } as never)
