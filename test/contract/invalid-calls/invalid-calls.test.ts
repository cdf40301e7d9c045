import { FLOOR_PLANS_CALLS } from './floor-plans.ts'
import { AUDIENCES_CALLS } from './audiences.ts'
import { FLOOR_SCANS_CALLS } from './floor-scans.ts'
import { LAYOUTS_CALLS } from './layouts.ts'
import { BOOTHS_CALLS } from './booths.ts'
import { APPLICATIONS_CALLS } from './applications.ts'
import { PLACEMENTS_CALLS } from './placements.ts'
import { COMPANIES_CALLS } from './companies.ts'
import { ONSITE_CALLS } from './onsite.ts'
import { PRESENCE_CALLS } from './presence.ts'
import { SESSIONS_CALLS } from './sessions.ts'
import { DESIGNED_REPORTS_CALLS } from './designed-reports.ts'
import { REPORT_FILES_CALLS } from './report-files.ts'
import { CHART_CALLS } from './charts.ts'
import { REPORTS_QUERY_CALLS } from './reports-query.ts'
import { HOUSING_SUMMARY_CALLS } from './housing-summary.ts'
import { DATA_DICTIONARY_CALLS } from './data-dictionary.ts'
import { BLOCK_REQUESTS_CALLS } from './block-requests.ts'
import { ROOM_BLOCKS_CALLS } from './room-blocks.ts'
import { HOTEL_CONTRACTS_CALLS } from './hotel-contracts.ts'
import { HOTEL_WAITLIST_CALLS } from './hotel-waitlist.ts'
import { HOTEL_CATALOG_CALLS } from './hotel-catalog.ts'
import { HOTEL_PCI_CALLS } from './hotel-pci.ts'
import { BRIEFS_CALLS } from './briefs.ts'
import { SUPPLIERS_CALLS } from './suppliers.ts'
import { RFPS_CALLS } from './rfps.ts'
import { BIDS_CALLS } from './bids.ts'
import { AWARDS_CALLS } from './awards.ts'
import { SUPPLIER_CONTRACTS_CALLS } from './supplier-contracts.ts'
import { SIGNING_CALLS } from './signing.ts'
import { SURVEYS_CALLS } from './surveys.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getMcpEndpointKind } from '../../../src/kernel/id-kinds.ts'
import type { Tool } from '../../../src/kernel/tool.ts'
import { FEEDBACK_TOOLS } from '../../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../../src/participant-tools/index.ts'
import { newWorld, type ToolAnswer, type World } from '../../support/world.ts'
import { type Arguments, getExamples } from '../examples.ts'
import { PRODUCT_TOOLS } from '../registry.ts'
import { type Stage, createStage } from '../stage.ts'
import { type InvalidCall, ORGANIZER_CALLS } from './calls.ts'
import { EVERYDAY_CALLS } from './everyday-values.ts'
import { findRepairGap } from './repair.ts'

const INVALID_CALLS = [
  ...ORGANIZER_CALLS,
  ...EVERYDAY_CALLS,
  ...FLOOR_PLANS_CALLS,
  ...AUDIENCES_CALLS,
  ...FLOOR_SCANS_CALLS,
  ...LAYOUTS_CALLS,
  ...BOOTHS_CALLS,
  ...APPLICATIONS_CALLS,
  ...PLACEMENTS_CALLS,
  ...COMPANIES_CALLS,
  ...ONSITE_CALLS,
  ...PRESENCE_CALLS,
  ...SESSIONS_CALLS,
  ...DATA_DICTIONARY_CALLS,
  ...DESIGNED_REPORTS_CALLS,
  ...REPORT_FILES_CALLS,
  ...CHART_CALLS,
  ...REPORTS_QUERY_CALLS,
  ...HOUSING_SUMMARY_CALLS,
  ...BLOCK_REQUESTS_CALLS,
  ...ROOM_BLOCKS_CALLS,
  ...HOTEL_CONTRACTS_CALLS,
  ...HOTEL_WAITLIST_CALLS,
  ...HOTEL_CATALOG_CALLS,
  ...HOTEL_PCI_CALLS,
  ...BRIEFS_CALLS,
  ...SUPPLIERS_CALLS,
  ...RFPS_CALLS,
  ...BIDS_CALLS,
  ...AWARDS_CALLS,
  ...SUPPLIER_CONTRACTS_CALLS,
  ...SIGNING_CALLS,
  ...SURVEYS_CALLS,
]
const SERVED = { organizer: PRODUCT_TOOLS, participant: PARTICIPANT_TOOLS, operator: FEEDBACK_TOOLS }
const ALL_TOOLS = Object.values(SERVED).flat()

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld()
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

const toolOf = (name: string): Tool => ALL_TOOLS.find((tool) => tool.name === name)!
const given = (args: Arguments): Arguments => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))

/** A wrong name for an argument whose value the example creates carries the value of the example. */
function renamed({ wrong }: InvalidCall, args: Arguments): Arguments {
  const [removed] = Object.entries(wrong).find(([name, value]) => value === undefined && name in args) ?? []
  return Object.fromEntries(
    Object.entries(wrong).map(([name, value]) => [
      name,
      value === undefined && removed !== undefined && name !== removed ? args[removed] : value,
    ]),
  )
}

function createExample(tool: Tool, example: number): Arguments | Promise<Arguments> {
  const create = getExamples(tool)[example]
  if (!create) throw new Error(`${tool.name} has no example ${example}`)
  return create(stage)
}

const sharedExamples = new Map<string, Promise<Arguments>>()
function shareExample(tool: Tool, example: number): Promise<Arguments> {
  const key = `${tool.name} ${example}`
  const args = sharedExamples.get(key) ?? Promise.resolve(createExample(tool, example))
  sharedExamples.set(key, args)
  return args
}

async function callsOf(call: InvalidCall): Promise<{ right: Arguments; wrong: Arguments }> {
  const tool = toolOf(call.tool)
  // A refused call changes nothing, and neither does a read, so such calls share the arguments of an example.
  const shared = tool.effect === 'read' || Object.values(call.right).every((value) => value === undefined)
  const args = await (shared ? shareExample(tool, call.example) : createExample(tool, call.example))
  const changed = Object.fromEntries(Object.entries(call.right).filter(([, value]) => value !== undefined))
  const right = { ...args, ...changed }
  return { right: given(right), wrong: given({ ...right, ...renamed(call, right) }) }
}

const textOf = ({ content }: ToolAnswer) => content.map(({ text }) => text).join('\n')

/** Invalid answers to questions of a form are a normal result, which lists them. */
const isRefused = ({ isError, structuredContent }: ToolAnswer) => isError || structuredContent?.status === 'validation_failed'

const inWords = ({ tool, wrong }: InvalidCall) => `${tool} ${JSON.stringify(wrong)}`

/** The share of refusals that must be enough to repair the call. */
const MIN_SCORE = 0.93

describe('invalid calls that assistants make', () => {
  it('covers at least 170 invalid calls at all endpoints, and every tool that takes more arguments than event and client codes', () => {
    expect(INVALID_CALLS.length).toBeGreaterThanOrEqual(170)
    const tried = new Set(INVALID_CALLS.map(({ tool }) => tool))
    const plain = PRODUCT_TOOLS.filter(({ ownArguments: own }) => own.length === 0).map(({ name }) => name)
    expect(PRODUCT_TOOLS.map(({ name }) => name).filter((name) => !tried.has(name) && !plain.includes(name))).toEqual([
      'list_directory_binding_options',
    ])
    for (const [endpoint, tools] of Object.entries(SERVED))
      expect([endpoint, tools.filter(({ name }) => tried.has(name)).length / tools.length > 0.6]).toEqual([endpoint, true])
  })

  interface Tried {
    call: InvalidCall
    args: { wrong: Arguments; right: Arguments }
    wrong: ToolAnswer
    /** Null if the corrected call is an example of the tool, because other contract tests run those. */
    right: ToolAnswer | null
  }

  /** Makes each wrong call and then the corrected call. The refused call must not change anything. */
  const tried = async () => {
    const answers: Tried[] = []
    for (const call of INVALID_CALLS) {
      const args = await callsOf(call)
      const { answer } = stage.callerOf(toolOf(call.tool))
      const right = Object.values(call.right).some((value) => value !== undefined)
      answers.push({ call, args, wrong: await answer(call.tool, args.wrong), right: right ? await answer(call.tool, args.right) : null })
    }
    return answers
  }
  let trying: Promise<Tried[]> | undefined
  const answersOf = () => (trying ??= tried())

  it('refuses every invalid call, at least 93% of them with enough information to repair the call', async () => {
    const [taken, left]: [string[], string[]] = [[], []]
    const strict = { total: 0, left: 0 }
    for (const { call, args, wrong: answer } of await answersOf()) {
      if (!isRefused(answer)) {
        taken.push(inWords(call))
        continue
      }
      const tool = toolOf(call.tool)
      const endpoint = { tools: SERVED[getMcpEndpointKind(tool.scope)], answer: stage.callerOf(tool).answer }
      const gap = await findRepairGap({ call, ...args, text: textOf(answer) }, endpoint)
      if (!call.known) {
        strict.total++
        if (gap !== null) strict.left++
      }
      if (gap !== null) left.push(`${inWords(call)} ${gap} → ${textOf(answer)}`)
    }
    const score = 1 - left.length / INVALID_CALLS.length
    const strictScore = 1 - strict.left / strict.total
    process.stdout.write(`${(score * 100).toFixed(1)}% of ${INVALID_CALLS.length} invalid calls can be repaired. Left: ${left.length}\n`)
    process.stdout.write(`${(strictScore * 100).toFixed(1)}% of the ${strict.total} whose correct value the assistant does not know.\n`)
    for (const line of left) process.stdout.write(`- ${line}\n`)
    expect(taken).toEqual([])
    expect(score).toBeGreaterThanOrEqual(MIN_SCORE)
    expect(strictScore).toBeGreaterThanOrEqual(MIN_SCORE)
    expect(world.logged.filter((line) => line.includes('internal error'))).toEqual([])
  })

  it('accepts each invalid tool call once the arguments are corrected', async () => {
    const refused = (await answersOf()).filter(({ right }) => right && isRefused(right))
    expect(refused.map(({ call, right }) => `${inWords(call)} → ${textOf(right!)}`)).toEqual([])
  })

  it('names only tools that the endpoint serves in the refusal of an invalid call', async () => {
    const foreign = (await answersOf()).flatMap(({ call, wrong }) => {
      const served = new Set(SERVED[getMcpEndpointKind(toolOf(call.tool).scope)].map(({ name }) => name))
      const named = ALL_TOOLS.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(textOf(wrong)))
      return named.filter(({ name }) => !served.has(name)).map(({ name }) => `${inWords(call)} names ${name}`)
    })
    expect(foreign).toEqual([])
  })

  it('reports a tool call as not repairable if the refusal does not help the caller to correct the call', async () => {
    const endpoint = { tools: [], answer: () => Promise.reject(new Error('no tool is named')) }
    const gaps = await Promise.all(
      (await answersOf()).map(({ call, args }) => findRepairGap({ call, ...args, text: 'Invalid arguments' }, endpoint)),
    )
    expect(gaps.filter((gap) => gap === null)).toEqual([])
  })
})
