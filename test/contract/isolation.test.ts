import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { code, id, list, text } from '../../src/kernel/args.ts'
import { AppError, notFound } from '../../src/kernel/errors.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { type Examples, getExamples } from './examples.ts'
import {
  archivedScopeOf,
  foreignScopeOf,
  makeEveryExampleCall,
  findForeignCodeProblems,
  findForeignIdProblems,
  findLeakedWords,
  type RecordingCaller,
  recordAnswers,
} from './isolation.ts'
import { plantedAccountTool, plantedTool } from './planted-tools.ts'
import { ORGANIZER_TOOLS } from './registry.ts'
import { atSiblingEvent, type Stage, createStage } from './stage.ts'

const PLANTED: Record<'existence' | 'peeking' | 'everything' | 'logging', Tool> = {
  existence: plantedAccountTool({
    name: 'planted_existence',
    input: { sourceEventCode: code() },
    run: async (ctx, input) => {
      const found = await ctx.db.selectFrom('events').select('id').where('code', '=', String(input.sourceEventCode)).executeTakeFirst()
      throw found ? new AppError('forbidden', `Event ${String(input.sourceEventCode)} is not yours`) : notFound('No such event')
    },
  }),
  peeking: plantedTool({
    name: 'planted_peeking',
    input: { noteId: id() },
    output: { text: text() },
    run: async (ctx, input) => {
      const note = await ctx.db.selectFrom('fixture_notes').select('text').where('id', '=', String(input.noteId)).executeTakeFirst()
      if (!note) throw notFound('No such note')
      return note
    },
  }),
  everything: plantedAccountTool({
    name: 'planted_everything',
    output: { names: list(text()) },
    run: async (ctx) => ({ names: (await ctx.db.selectFrom('events').select('name').execute()).map(({ name }) => name) }),
  }),
  logging: plantedAccountTool({
    name: 'planted_logging',
    run: async (ctx) => {
      const names = await ctx.db.selectFrom('clients').select('name').execute()
      throw new Error(names.map(({ name }) => name).join())
    },
  }),
}

const EXAMPLES_OF_PLANTED: Examples = {
  planted_existence: ({ home }) => ({ sourceEventCode: home.eventCode }),
  planted_peeking: async ({ admin, home }) => {
    const { note } = await admin.call('fixture_add_note', { eventCode: home.eventCode, text: 'mine' })
    return { eventCode: home.eventCode, noteId: note.id }
  },
}

let world: World
let own: Stage
let neighbour: Stage
let abroad: Stage
let olga: RecordingCaller
const words = ['numbat', 'quokka']

beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, ...Object.values(PLANTED)])] })
  own = await createStage(world, { tenant: 'wallaby', word: 'wallaby' })
  neighbour = await createStage(world, { tenant: 'wallaby', word: 'numbat' })
  abroad = await createStage(world, { tenant: 'quokka', word: 'quokka' })
  olga = recordAnswers(own.admin)
})
afterAll(() => world.end())

describe('findForeignCodeProblems', () => {
  it("reports a tool whose refusal reveals that another client's event or client code exists", async () => {
    const foreign = [
      foreignScopeOf('another client', neighbour),
      archivedScopeOf('its archived event', neighbour),
      foreignScopeOf('another tenant', abroad),
    ]
    expect(await findForeignCodeProblems(olga, own, [PLANTED.existence], foreign, EXAMPLES_OF_PLANTED)).toEqual([
      'planted_existence reveals another client through sourceEventCode',
      'planted_existence reveals its archived event through sourceEventCode',
      'planted_existence reveals another tenant through sourceEventCode',
    ])
  })
})

describe('findForeignIdProblems', () => {
  it('reports a tool that finds a record of another event, client or tenant', async () => {
    const elsewhere = [
      { what: 'another event', stage: atSiblingEvent(own) },
      { what: 'another client', stage: neighbour },
      { what: 'another tenant', stage: abroad },
    ]
    expect(await findForeignIdProblems(olga, own, [PLANTED.peeking], elsewhere, EXAMPLES_OF_PLANTED)).toEqual([
      'planted_peeking reveals another event through noteId',
      'planted_peeking reveals another client through noteId',
      'planted_peeking reveals another tenant through noteId',
    ])
  })
})

describe('findLeakedWords', () => {
  // On PostgreSQL, the contract tests of each toolset search the answers of its tools.
  it.skipIf(process.env['TEST_DATABASE_URL'])('finds no words of another client in the answers of all read tools', async () => {
    const caller = recordAnswers(own.admin)
    await makeEveryExampleCall(neighbour, ORGANIZER_TOOLS)
    const reading = ORGANIZER_TOOLS.filter(({ effect }) => effect === 'read')
    for (const tool of reading) for (const example of getExamples(tool)) await caller.ask(tool.name, await example(own))
    expect(findLeakedWords(caller.answers, world.logged, words)).toEqual([])
  })

  it('control: detects words of another client in answers and in the log', async () => {
    const [everything, peeking, logging] = [recordAnswers(own.admin), recordAnswers(own.admin), recordAnswers(own.admin)]
    await everything.ask('planted_everything', {})
    expect(findLeakedWords(everything.answers, [], words)).toEqual(words.map((word) => `planted_everything leaked ${word}`))

    const { noteId } = await getExamples(PLANTED.peeking, EXAMPLES_OF_PLANTED)[0]!(abroad)
    await world.database.pool.query(`update fixture_notes set text = 'Quokka plans' where id = $1`, [noteId])
    await peeking.ask('planted_peeking', { eventCode: own.home.eventCode, noteId })
    expect(findLeakedWords(peeking.answers, [], words)).toEqual(['planted_peeking leaked quokka'])

    const before = world.logged.length
    await logging.ask('planted_logging', {})
    expect(findLeakedWords(logging.answers, world.logged.slice(before), words)).toEqual(words.map((word) => `the log contains ${word}`))
  })
})
