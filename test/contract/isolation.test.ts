import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { code, id, list, text } from '../../src/kernel/args.ts'
import { AppError, notFound } from '../../src/kernel/errors.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { type Examples, examplesOf } from './examples.ts'
import { archivedOf, placeOf, populate, problemsOfCodes, problemsOfIds, problemsOfLeaks, type Witness, witnessOf } from './isolation.ts'
import { plantedAccountTool, plantedTool } from './planted.ts'
import { ORGANIZER_TOOLS } from './registry.ts'
import { atSibling, type Stage, stageAt } from './stage.ts'

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
let olga: Witness
const words = ['numbat', 'quokka']

beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, ...Object.values(PLANTED)])] })
  own = await stageAt(world, { tenant: 'wallaby', word: 'wallaby' })
  neighbour = await stageAt(world, { tenant: 'wallaby', word: 'numbat' })
  abroad = await stageAt(world, { tenant: 'quokka', word: 'quokka' })
  olga = witnessOf(own.admin)
})
afterAll(() => world.end())

describe('a place of somebody else', () => {
  it('would be reported when a tool knows it', async () => {
    const foreign = [placeOf('another client', neighbour), archivedOf('its archived event', neighbour), placeOf('another tenant', abroad)]
    expect(await problemsOfCodes(olga, own, [PLANTED.existence], foreign, EXAMPLES_OF_PLANTED)).toEqual([
      'planted_existence tells by sourceEventCode of another client',
      'planted_existence tells by sourceEventCode of its archived event',
      'planted_existence tells by sourceEventCode of another tenant',
    ])
  })
})

describe('an id of elsewhere', () => {
  it('would be reported when a tool finds it', async () => {
    const elsewhere = [
      { what: 'another event', stage: atSibling(own) },
      { what: 'another client', stage: neighbour },
      { what: 'another tenant', stage: abroad },
    ]
    expect(await problemsOfIds(olga, own, [PLANTED.peeking], elsewhere, EXAMPLES_OF_PLANTED)).toEqual([
      'planted_peeking tells by noteId of another event',
      'planted_peeking tells by noteId of another client',
      'planted_peeking tells by noteId of another tenant',
    ])
  })
})

describe('words from elsewhere', () => {
  it('are told by no tool of any toolset, whatever all others left at another client', async () => {
    const asked = witnessOf(own.admin)
    await populate(neighbour, ORGANIZER_TOOLS)
    for (const tool of ORGANIZER_TOOLS) for (const example of examplesOf(tool)) await asked.ask(tool.name, await example(own))
    expect(problemsOfLeaks(asked.told, world.logged, words)).toEqual([])
  })

  it('would be reported wherever they came out', async () => {
    const [everything, peeking, logging] = [witnessOf(own.admin), witnessOf(own.admin), witnessOf(own.admin)]
    await everything.ask('planted_everything', {})
    expect(problemsOfLeaks(everything.told, [], words)).toEqual(words.map((word) => `planted_everything told of ${word}`))

    const { noteId } = await examplesOf(PLANTED.peeking, EXAMPLES_OF_PLANTED)[0]!(abroad)
    await world.database.pool.query(`update fixture_notes set text = 'Quokka plans' where id = $1`, [noteId])
    await peeking.ask('planted_peeking', { eventCode: own.home.eventCode, noteId })
    expect(problemsOfLeaks(peeking.told, [], words)).toEqual(['planted_peeking told of quokka'])

    const before = world.logged.length
    await logging.ask('planted_logging', {})
    expect(problemsOfLeaks(logging.told, world.logged.slice(before), words)).toEqual(words.map((word) => `the log tells of ${word}`))
  })
})
