import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { count, list, object, text } from '../../src/kernel/args.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { problemsOfJsonText, problemsOfMissing, problemsOfNames, problemsOfTypes } from './arguments.ts'
import { plantedTool } from './planted.ts'
import { type Stage, stageAt } from './stage.ts'

/** Reads its arguments itself and takes whatever it is given. */
const careless = ({ input: _strict, ...tool }: Tool): Tool => ({ ...tool, input: z.looseObject({}) as unknown as Tool['input'] })

const shape = { title: text(10), lines: list(object({ amount: count() })) }
const readable = plantedTool({ name: 'planted_deaf', input: shape })
const PLANTED = {
  careless: careless(plantedTool({ name: 'planted_careless', input: shape })),
  breaking: plantedTool({
    name: 'planted_breaking',
    input: { title: text(100_000).optional() },
    run: (_ctx, { title }) => (title === 'zzqx' ? Promise.reject(new Error('cannot read properties of undefined')) : Promise.resolve({})),
  }),
  // The road reads JSON text where a list is declared; to this one's road nothing is.
  deaf: { ...readable, shape: { type: 'object' } },
}

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', Object.values(PLANTED))] })
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('an argument that no tool has', () => {
  it('would be reported when it is ignored', async () => {
    const problems = await problemsOfNames(stage, PLANTED.careless)
    expect(problems).toContain('planted_careless does not lead from event_code to eventCode')
    expect(problems).toContain('planted_careless takes an argument zzqx')
  })
})

describe('an argument that is missing', () => {
  it('would be reported when nobody asks for it', async () => {
    expect(await problemsOfMissing(stage, PLANTED.careless)).toEqual([
      'planted_careless does not ask for eventCode',
      'planted_careless does not ask for title',
      'planted_careless does not ask for lines',
      'planted_careless does not ask for lines/0/amount',
    ])
  })
})

describe('an argument of a wrong type', () => {
  it('would be reported when it is taken or breaks something', async () => {
    expect(await problemsOfTypes(stage, PLANTED.breaking)).toEqual(['planted_breaking breaks on title as "zzqx"'])
    const taken = await problemsOfTypes(stage, PLANTED.careless)
    expect(taken).toContain('planted_careless takes title as 7.5')
    expect(taken).toContain('planted_careless takes lines as "zzqx"')
    expect(taken).toContain('planted_careless takes lines/0/amount as {}')
  })
})

describe('JSON text', () => {
  it('would be reported when it is taken for text', async () => {
    const given = [{ eventCode: stage.home.eventCode, title: 'x', lines: [{ amount: 1 }] }]
    expect(await problemsOfJsonText(stage, readable, given)).toEqual(['planted_deaf does not read lines as JSON text'])
  })
})
