import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { list, object, pageArguments, pageResult, text } from '../../src/kernel/args.ts'
import { readPage } from '../../src/kernel/page.ts'
import { toolset } from '../../src/kernel/tool.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { type ExampleCall, EXAMPLES, type Examples, checkExamples } from './examples.ts'
import { isPaged, findCursorProblems, findPageWalkProblems } from './paging.ts'
import { plantedTool } from './planted-tools.ts'
import { ORGANIZER_TOOLS } from './registry.ts'
import { type Stage, createStage } from './stage.ts'

const paged = { input: pageArguments, output: { notes: list(object({ id: text() })), ...pageResult } }

const PLANTED = {
  /** A faulty tool: orders by a column in which several rows have the same value, so that pages lose rows. */
  losing: plantedTool({
    name: 'planted_losing',
    ...paged,
    run: async (ctx, input) => {
      const { items, ...rest } = await readPage(ctx, input as { limit: number; cursor?: string }, {
        rows: ctx.db.selectFrom('fixture_notes').select(['id', 'status']).where('event_id', '=', ctx.event.id),
        order: [{ by: sql`status`, type: 'text', of: (row) => row.status }],
        shape: ({ id }) => ({ id }),
      })
      return { notes: items, ...rest }
    },
  }),
  /** A faulty tool: uses the plain row position as its cursor, and accepts any cursor. */
  open: plantedTool({
    name: 'planted_open',
    ...paged,
    run: async (ctx, input) => {
      const { limit, cursor } = input as { limit: number; cursor?: string }
      const start = Number(cursor?.slice(1)) || 0
      const rows = await ctx.db.selectFrom('fixture_notes').select('id').where('event_id', '=', ctx.event.id).orderBy('id').execute()
      const end = start + limit
      return { notes: rows.slice(start, end), nextCursor: end < rows.length ? `c${end}` : null }
    },
  }),
  endless: plantedTool({
    name: 'planted_endless',
    ...paged,
    run: () => Promise.resolve({ notes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], nextCursor: 'more' }),
  }),
  bare: plantedTool({ name: 'planted_bare', ...paged, run: () => Promise.resolve({ notes: [], nextCursor: null }) }),
}

const EXAMPLES_OF_PLANTED: Examples = Object.fromEntries(Object.values(PLANTED).map(({ name }) => [name, EXAMPLES['fixture_list_notes']!]))

let world: World
let stage: Stage
let colleague: OrganizerHandle
beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, ...Object.values(PLANTED)])] })
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
  colleague = await world.organizer({ at: stage.home })
})
afterAll(() => world.end())

const lists = ORGANIZER_TOOLS.filter(isPaged)
const cursorCheck = (call: ExampleCall) => findCursorProblems(call, { person: colleague, tools: lists })
const planted = (tool: keyof typeof PLANTED, check: (call: ExampleCall) => Promise<string[]>) =>
  checkExamples(stage, [PLANTED[tool]], check, EXAMPLES_OF_PLANTED)

describe('findPageWalkProblems', () => {
  it('reports a paged list that loses rows, never ends, or has too few rows to check', async () => {
    expect(await planted('losing', findPageWalkProblems)).toContain('planted_losing loses rows')
    expect(await planted('endless', findPageWalkProblems)).toEqual(['planted_endless never ends'])
    expect(await planted('bare', findPageWalkProblems)).toEqual([
      'planted_bare lists 0 rows in its example: give it three, or paging is not checked',
    ])
  })
})

describe('findCursorProblems', () => {
  it('reports a paged list that accepts forged cursors or cursors of another caller', async () => {
    expect(await planted('open', findPageWalkProblems)).toEqual([])
    expect(await planted('open', cursorCheck)).toEqual([
      'planted_open accepts a cursor that was altered',
      'planted_open accepts a cursor of another person',
      'planted_open accepts a cursor of other filters',
    ])
    const toPlanted = (call: ExampleCall) => findCursorProblems(call, { person: colleague, tools: [PLANTED.open] })
    expect(await checkExamples(stage, lists.slice(0, 1), toPlanted)).toEqual([
      'list_my_events accepts a cursor of another list (to planted_open)',
    ])
  })
})
