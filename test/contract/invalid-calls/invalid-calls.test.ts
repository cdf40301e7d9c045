import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type ToolAnswer, type World } from '../../support/world.ts'
import { type Arguments, getExamples } from '../examples.ts'
import { PRODUCT_TOOLS } from '../registry.ts'
import { type Stage, createStage } from '../stage.ts'
import { INVALID_CALLS, type InvalidCall } from './calls.ts'

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld()
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

const given = (args: Arguments): Arguments => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))

async function callsOf({ tool, example, right, wrong }: InvalidCall): Promise<{ right: Arguments; wrong: Arguments }> {
  const declared = PRODUCT_TOOLS.find(({ name }) => name === tool)!
  const args = { ...(await getExamples(declared)[example]!(stage)), ...right }
  return { right: given(args), wrong: given({ ...args, ...wrong }) }
}

/** The parts of a refusal that an assistant reads, as one text. */
const refusalText = ({ content, _meta }: ToolAnswer) => `${content.map(({ text }) => text).join('\n')} ${JSON.stringify(_meta)}`

const inWords = ({ tool, wrong }: InvalidCall) => `${tool} ${JSON.stringify(wrong)}`

describe('invalid calls that assistants make', () => {
  it('include 150 or more calls, and every tool that takes more than event and client codes', () => {
    expect(INVALID_CALLS.length).toBeGreaterThanOrEqual(150)
    const tried = new Set(INVALID_CALLS.map(({ tool }) => tool))
    const plain = PRODUCT_TOOLS.filter(({ ownArguments: own }) => own.length === 0).map(({ name }) => name)
    expect(PRODUCT_TOOLS.map(({ name }) => name).filter((name) => !tried.has(name) && !plain.includes(name))).toEqual([
      'list_directory_binding_options',
    ])
  })

  /** Makes each wrong call and then the corrected call. The refused call must not change anything. */
  const tried = async () => {
    const answers: { call: InvalidCall; wrong: ToolAnswer; right: ToolAnswer }[] = []
    for (const call of INVALID_CALLS) {
      const { wrong, right } = await callsOf(call)
      answers.push({ call, wrong: await stage.admin.answer(call.tool, wrong), right: await stage.admin.answer(call.tool, right) })
    }
    return answers
  }
  let trying: ReturnType<typeof tried> | undefined
  const answersOf = () => (trying ??= tried())

  it('are refused, and at least 95% of the refusals contain the texts needed for the correction', async () => {
    const [taken, unhelpful]: [string[], string[]] = [[], []]
    for (const { call, wrong: answer } of await answersOf()) {
      if (!answer.isError) taken.push(inWords(call))
      else if (!call.needs.every((word) => refusalText(answer).includes(word)))
        unhelpful.push(`${inWords(call)} → ${answer.content[0]!.text}`)
    }
    expect(taken).toEqual([])
    // Fails with the refusals beyond the allowed 5%.
    expect(unhelpful.slice(Math.floor(INVALID_CALLS.length * 0.05))).toEqual([])
    expect(world.logged.filter((line) => line.includes('internal error'))).toEqual([])
  })

  it('succeed once their arguments are corrected', async () => {
    const refused = (await answersOf()).filter(({ right }) => right.isError)
    expect(refused.map(({ call, right }) => `${inWords(call)} → ${right.content[0]!.text}`)).toEqual([])
  })

  it('reports refusals that do not help to correct the call', () => {
    const answer = { content: [{ type: 'text', text: 'Invalid arguments' }], structuredContent: null, isError: true }
    expect(
      INVALID_CALLS.filter(({ needs }) => needs.every((word) => refusalText(answer).includes(word))).map(({ needs }) => needs),
    ).toEqual(INVALID_CALLS.filter(({ needs }) => needs.length === 0).map(({ needs }) => needs))
  })
})
