import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { code, id, list, text } from '../../src/kernel/args.ts'
import { AppError, notFound } from '../../src/kernel/errors.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { answerTo, confirmationOf, type Examples, examplesOf, overExamples } from './examples.ts'
import { type Caller, callerOf, type ForeignPlace, problemsOfCodes, problemsOfIds, problemsOfLeaks } from './isolation.ts'
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
/** Same tenant, another client. */
let neighbour: Stage
/** Other tenants. */
let abroad: Stage[]
/** Clients that the caller belongs to, with assistants off and inactive. */
let dark: Stage
let closed: Stage

/** Administers the client of the stage, and belongs to the two that are switched off. */
let olga: Caller
/** Staff of one event and of nothing else. */
let helper: Caller

const placeOf = (what: string, { home }: Stage): ForeignPlace => ({ what, eventCode: home.eventCode, clientCode: home.clientCode })
const archivedOf = (what: string, stage: Stage): ForeignPlace => ({
  ...placeOf(what, stage),
  eventCode: stage.home.eventCode.replace('home', 'archived'),
})
const foreign = () => [
  placeOf('another client', neighbour),
  archivedOf("another client's archived event", neighbour),
  placeOf('another tenant', abroad[0]!),
  placeOf('a third tenant', abroad[1]!),
]

const scoped = (scope: Tool['scope']) => ORGANIZER_TOOLS.filter((tool) => tool.scope === scope)

beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, ...Object.values(PLANTED)])] })
  own = await stageAt(world, { tenant: 'wallaby', word: 'wallaby' })
  neighbour = await stageAt(world, { tenant: 'wallaby', word: 'numbat' })
  abroad = [await stageAt(world, { tenant: 'quokka', word: 'quokka' }), await stageAt(world, { tenant: 'bilby', word: 'bilby' })]
  dark = await stageAt(world, { tenant: 'wallaby', word: 'potoroo' })
  closed = await stageAt(world, { tenant: 'wallaby', word: 'dunnart' })
  const switched = (column: string, { home }: Stage) =>
    world.database.pool.query(`update clients set ${column} = false, name = 'Switched off' where tenant_id = $1 and id = $2`, [
      home.tenantId,
      home.clientId,
    ])
  await switched('ai_assistants_allowed', dark)
  await switched('active', closed)
  // So that there is a foreign row behind everything that a tool could find.
  for (const stage of [neighbour, ...abroad]) {
    await overExamples(stage, ORGANIZER_TOOLS, async (call) => {
      await answerTo(call, await confirmationOf(call))
      return []
    })
  }
  olga = callerOf(await world.organizer({ at: [own.home, dark.home, closed.home] }))
  helper = callerOf(await world.organizer({ staffOf: own.home, staffRole: 'manager' }))
})
afterAll(() => world.end())

describe('a place of somebody else', () => {
  it('is as unknown as one that never was, to every tool that takes a code', async () => {
    expect(await problemsOfCodes(olga, own, ORGANIZER_TOOLS, foreign())).toEqual([])
  })

  it('includes the other events of the client, for staff of one event', async () => {
    const sibling = { what: 'another event', eventCode: own.sibling.eventCode }
    expect(await problemsOfCodes(helper, own, scoped('event'), [sibling, ...foreign()])).toEqual([])
  })

  it('would be reported when a tool knows it', async () => {
    expect(await problemsOfCodes(olga, own, [PLANTED.existence], foreign(), EXAMPLES_OF_PLANTED)).toEqual([
      'planted_existence tells by sourceEventCode of another client',
      "planted_existence tells by sourceEventCode of another client's archived event",
      'planted_existence tells by sourceEventCode of another tenant',
      'planted_existence tells by sourceEventCode of a third tenant',
    ])
  })
})

describe('an id of elsewhere', () => {
  const elsewhere = () => [
    { what: 'another event', stage: atSibling(own) },
    { what: 'another client', stage: neighbour },
    { what: 'another tenant', stage: abroad[0]! },
  ]

  it('is as unknown as one that never was, in every argument of every tool', async () => {
    expect(await problemsOfIds(olga, own, ORGANIZER_TOOLS, elsewhere())).toEqual([])
  })

  it('would be reported when a tool finds it', async () => {
    const before = olga.told.length
    expect(await problemsOfIds(olga, own, [PLANTED.peeking], elsewhere(), EXAMPLES_OF_PLANTED)).toEqual([
      'planted_peeking tells by noteId of another event',
      'planted_peeking tells by noteId of another client',
      'planted_peeking tells by noteId of another tenant',
    ])
    olga.told.length = before
  })
})

describe('a client that is switched off', () => {
  const turnedOff = () => `AI assistant access is turned off for client ${dark.home.clientCode}`

  it('with assistants off says so to its members, for every tool at it or at its events', async () => {
    const { eventCode, clientCode } = dark.home
    for (const tool of [...scoped('event'), ...scoped('client')]) {
      const codes = tool.scope === 'event' ? [{ eventCode }, { eventCode, clientCode }] : [{ clientCode }]
      for (const sent of codes) expect((await olga.ask(tool.name, sent)).content[0]!.text).toBe(turnedOff())
    }
  })

  it('when inactive hides its events as if they never were', async () => {
    expect(await problemsOfCodes(olga, own, scoped('event'), [placeOf('an inactive client', closed)])).toEqual([])
  })

  it('when inactive serves only the tools that can make it active again', async () => {
    const { clientCode } = closed.home
    for (const tool of scoped('client')) {
      const { isError, _meta } = await olga.ask(tool.name, { clientCode })
      const refusal = isError ? _meta!['lanyard/error'] : null
      if (tool.servesInactiveClients) expect(refusal?.code).not.toBe('precondition_failed')
      else
        expect(refusal).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining(`Client ${clientCode} is inactive`) })
    }
  })
})

describe('an archived event', () => {
  it('is still found by those who can work on it', async () => {
    const { eventCode } = archivedOf('own', own)
    for (const tool of scoped('event')) {
      expect((await olga.ask(tool.name, { eventCode })).content[0]!.text).not.toContain(`No event ${eventCode}`)
    }
  })
})

describe('words from elsewhere', () => {
  const words = () => [neighbour, ...abroad, dark, closed].map(({ word }) => word)

  it('were in no answer, error or log line of all these calls, nor of any that succeeds', async () => {
    for (const tool of ORGANIZER_TOOLS) {
      for (const example of examplesOf(tool)) await olga.ask(tool.name, await example(own))
      if (tool.scope === 'account') for (const example of examplesOf(tool)) await helper.ask(tool.name, await example(own))
    }
    expect(olga.told.length).toBeGreaterThan(10 * ORGANIZER_TOOLS.length)
    expect(problemsOfLeaks([...olga.told, ...helper.told], world.logged, words())).toEqual([])
    expect(world.logged.filter((line) => line.includes('internal error'))).toEqual([])
  })

  it('would be reported wherever they came out', async () => {
    const [everything, peeking, logging] = [callerOf(own.admin), callerOf(own.admin), callerOf(own.admin)]
    await everything.ask('planted_everything', {})
    expect(problemsOfLeaks(everything.told, [], words())).toEqual(words().map((word) => `planted_everything told of ${word}`))

    const { noteId } = await examplesOf(PLANTED.peeking, EXAMPLES_OF_PLANTED)[0]!(abroad[0]!)
    await world.database.pool.query(`update fixture_notes set text = 'Quokka plans' where id = $1`, [noteId])
    await peeking.ask('planted_peeking', { eventCode: own.home.eventCode, noteId })
    expect(problemsOfLeaks(peeking.told, [], words())).toEqual(['planted_peeking told of quokka'])

    const before = world.logged.length
    await logging.ask('planted_logging', {})
    expect(problemsOfLeaks(logging.told, world.logged.slice(before), words())).toEqual(words().map((word) => `the log tells of ${word}`))
  })
})
