import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { count, list, object, text } from '../../src/kernel/args.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { findJsonTextProblems, findMissingArgumentProblems, findUnknownArgumentProblems, findArgumentTypeProblems } from './arguments.ts'
import { plantedTool } from './planted-tools.ts'
import { type Stage, createStage } from './stage.ts'

/** Replaces the tool's strict input schema with one that accepts any arguments. */
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
  // The declared argument shape contains no list, so the call pipeline does not parse JSON text for this tool.
  deaf: { ...readable, shape: { type: 'object' } },
}

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', Object.values(PLANTED))] })
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('findUnknownArgumentProblems', () => {
  it('reports a tool that ignores unknown arguments', async () => {
    const problems = await findUnknownArgumentProblems(stage, PLANTED.careless)
    expect(problems).toContain('planted_careless does not suggest eventCode for event_code')
    expect(problems).toContain('planted_careless accepts the unknown argument zzqx')
  })
})

describe('findMissingArgumentProblems', () => {
  it('reports a tool that accepts a call without its required arguments', async () => {
    expect(await findMissingArgumentProblems(stage, PLANTED.careless)).toEqual([
      'planted_careless does not report that eventCode is missing',
      'planted_careless does not report that title is missing',
      'planted_careless does not report that lines is missing',
      'planted_careless does not report that lines/0/amount is missing',
    ])
  })
})

describe('findArgumentTypeProblems', () => {
  it('reports a tool that accepts a wrong type or fails with an internal error on it', async () => {
    expect(await findArgumentTypeProblems(stage, PLANTED.breaking)).toEqual(['planted_breaking breaks on title as "zzqx"'])
    const taken = await findArgumentTypeProblems(stage, PLANTED.careless)
    expect(taken).toContain('planted_careless accepts title as 7.5')
    expect(taken).toContain('planted_careless accepts lines as "zzqx"')
    expect(taken).toContain('planted_careless accepts lines/0/amount as {}')
  })
})

describe('findJsonTextProblems', () => {
  it('reports a tool that does not parse a list sent as JSON text', async () => {
    const given = [{ eventCode: stage.home.eventCode, title: 'x', lines: [{ amount: 1 }] }]
    expect(await findJsonTextProblems(stage, readable, given)).toEqual(['planted_deaf does not parse lines from JSON text'])
  })
})
