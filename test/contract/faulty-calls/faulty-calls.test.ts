import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type ToolAnswer, type World } from '../../support/world.ts'
import { type Arguments, examplesOf } from '../examples.ts'
import { PRODUCT_TOOLS } from '../registry.ts'
import { type Stage, stageAt } from '../stage.ts'
import { FAULTY_CALLS, type FaultyCall } from './calls.ts'

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld()
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

const given = (args: Arguments): Arguments => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))

async function callsOf({ tool, example, right, wrong }: FaultyCall): Promise<{ right: Arguments; wrong: Arguments }> {
  const declared = PRODUCT_TOOLS.find(({ name }) => name === tool)!
  const args = { ...(await examplesOf(declared)[example]!(stage)), ...right }
  return { right: given(args), wrong: given({ ...args, ...wrong }) }
}

/** All that an assistant reads of a refusal. */
const said = ({ content, _meta }: ToolAnswer) => `${content.map(({ text }) => text).join('\n')} ${JSON.stringify(_meta)}`

const inWords = ({ tool, wrong }: FaultyCall) => `${tool} ${JSON.stringify(wrong)}`

describe('calls as assistants get them wrong', () => {
  it('are 150 or more, of every tool that takes more than a place', () => {
    expect(FAULTY_CALLS.length).toBeGreaterThanOrEqual(150)
    const tried = new Set(FAULTY_CALLS.map(({ tool }) => tool))
    const plain = PRODUCT_TOOLS.filter(({ own }) => own.length === 0).map(({ name }) => name)
    expect(PRODUCT_TOOLS.map(({ name }) => name).filter((name) => !tried.has(name) && !plain.includes(name))).toEqual([
      'list_directory_binding_options',
    ])
  })

  /** Each as it is wrong and then repaired: what was refused left nothing behind. */
  const tried = async () => {
    const answers: { call: FaultyCall; wrong: ToolAnswer; right: ToolAnswer }[] = []
    for (const call of FAULTY_CALLS) {
      const { wrong, right } = await callsOf(call)
      answers.push({ call, wrong: await stage.admin.answer(call.tool, wrong), right: await stage.admin.answer(call.tool, right) })
    }
    return answers
  }
  let trying: ReturnType<typeof tried> | undefined
  const answersOf = () => (trying ??= tried())

  it('are refused, and in at least 95 of 100 the refusal holds what the repair needs', async () => {
    const [taken, silent]: [string[], string[]] = [[], []]
    for (const { call, wrong: answer } of await answersOf()) {
      if (!answer.isError) taken.push(inWords(call))
      else if (!call.needs.every((word) => said(answer).includes(word))) silent.push(`${inWords(call)} → ${answer.content[0]!.text}`)
    }
    expect(taken).toEqual([])
    // More than a few are shown with what was said instead.
    expect(silent.slice(Math.floor(FAULTY_CALLS.length * 0.05))).toEqual([])
    expect(world.logged.filter((line) => line.includes('internal error'))).toEqual([])
  })

  it('go through once they are repaired', async () => {
    const refused = (await answersOf()).filter(({ right }) => right.isError)
    expect(refused.map(({ call, right }) => `${inWords(call)} → ${right.content[0]!.text}`)).toEqual([])
  })

  it('would be reported when a refusal said nothing', () => {
    const answer = { content: [{ type: 'text', text: 'Invalid arguments' }], structuredContent: null, isError: true }
    expect(FAULTY_CALLS.filter(({ needs }) => needs.every((word) => said(answer).includes(word))).map(({ needs }) => needs)).toEqual(
      FAULTY_CALLS.filter(({ needs }) => needs.length === 0).map(({ needs }) => needs),
    )
  })
})
