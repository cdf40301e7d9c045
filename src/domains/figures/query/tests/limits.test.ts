import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Db } from '../../../../kernel/columns.ts'
import { newId } from '../../../../kernel/ids.ts'
import { requireStatementWithinLimits } from '../execute.ts'
import { runWithCrossEventQueryLimit, runWithQueryLimit } from '../limit-queries.ts'
import { chooseSuppressedGroups, computeMinDistinctPeople } from '../suppress.ts'

const callerOf = (app: string) => ({
  tenantId: 1,
  client: { id: CLIENT },
  actor: { kind: 'organizer' as const, id: newId(), name: 'Olga', app: { id: app, name: app } },
})
const CLIENT = newId()

/** Queries that run until they are ended. */
function startQueries() {
  const ends: (() => void)[] = []
  return {
    started: () => ends.length,
    end: () => ends.shift()!(),
    run: () => new Promise<string>((resolve) => ends.push(() => resolve('done'))),
  }
}

const outcomeOf = (query: Promise<string>) =>
  query.catch(({ code, details }: { code: string; details?: { retryAfterSeconds?: number } }) => ({ code, ...details }))

describe('limits of running queries', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs two queries of one app at a time, and refuses a third one that has waited for two seconds', async () => {
    const queries = startQueries()
    const ann = callerOf('one')
    const all = [1, 2, 3].map(() => outcomeOf(runWithQueryLimit(ann, queries.run)))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(queries.started()).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(await all[2]).toMatchObject({ code: 'limit_exceeded', retryAfterSeconds: 5 })
    queries.end()
    queries.end()
    expect(await Promise.all(all.slice(0, 2))).toEqual(['done', 'done'])
  })

  it('runs four queries of one client at a time, and a fifth as soon as one has ended', async () => {
    const queries = startQueries()
    const all = [1, 2, 3, 4, 5].map((n) => outcomeOf(runWithQueryLimit(callerOf(`app-${n}`), queries.run)))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(queries.started()).toBe(4)
    queries.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(queries.started()).toBe(4)
    for (let n = 0; n < 4; n++) queries.end()
    expect(await Promise.all(all)).toEqual(Array(5).fill('done'))
  })

  it('limits queries over several events together, separately from the queries of one client', async () => {
    const queries = startQueries()
    const all = [1, 2, 3, 4, 5].map((n) => outcomeOf(runWithCrossEventQueryLimit(callerOf(`app-${n}`) as never, queries.run)))
    const other = outcomeOf(runWithQueryLimit(callerOf('app-6'), queries.run))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(queries.started()).toBe(5)
    expect(await all[4]).toMatchObject({ code: 'limit_exceeded' })
    for (let n = 0; n < 5; n++) queries.end()
    expect(await Promise.all([...all.slice(0, 4), other])).toEqual(Array(5).fill('done'))
  })

  it('frees the concurrency slot of a query that failed', async () => {
    const ann = callerOf('failing')
    for (let n = 0; n < 3; n++)
      await expect(runWithQueryLimit(ann, () => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection')
    expect(await runWithQueryLimit(ann, () => Promise.resolve('done'))).toBe('done')
  })
})

describe('the estimated cost of a query', () => {
  const limits = { timeoutMs: 10_000, maxCost: 5_000_000 } as never
  const plannedAs = (cost: number, rows: number) =>
    ({ executeQuery: async () => ({ rows: [{ 'QUERY PLAN': [{ Plan: { 'Total Cost': cost, 'Plan Rows': rows } }] }] }) }) as unknown as Db
  const check = (cost: number, rows: number, isGrouped: boolean) =>
    requireStatementWithinLimits(plannedAs(cost, rows), { text: 'select', values: [], isGrouped }, limits)

  it('refuses a query with an estimated cost above the limit, or with more than 100,000 groups', async () => {
    await check(5_000_000, 100_000, true)
    await expect(check(5_000_001, 1, false)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('filter by'),
    })
    await expect(check(1, 100_001, true)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('too many groups'),
    })
    await check(1, 100_001, false)
  })
})

describe('groups that are merged because they are small', () => {
  const groups = (...persons: number[]) => persons.map((count, i) => ({ persons: count, key: 'abcdef'[i]! }))
  const keysOf = (some: readonly { key: string }[]) => some.map(({ key }) => key).toSorted()

  it('merges all small groups, and the next smallest group if the merged group is still too small', () => {
    expect(keysOf(chooseSuppressedGroups(groups(40, 9, 3, 1)))).toEqual(['b', 'c', 'd'])
    expect(keysOf(chooseSuppressedGroups(groups(40, 9, 4, 1)))).toEqual(['c', 'd'])
    expect(keysOf(chooseSuppressedGroups(groups(40, 9, 9, 1)))).toEqual(['b', 'd'])
    expect(chooseSuppressedGroups(groups(40, 9))).toEqual([])
    expect(keysOf(chooseSuppressedGroups(groups(2, 1)))).toEqual(['a', 'b'])
  })

  it('merges groups until they contain enough different people, even if one person is in several groups', () => {
    expect(keysOf(chooseSuppressedGroups(groups(40, 9, 3, 3), computeMinDistinctPeople))).toEqual(['b', 'c', 'd'])
    expect(keysOf(chooseSuppressedGroups(groups(40, 9, 3, 3), () => 5))).toEqual(['c', 'd'])
  })
})
