import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { PARTICIPANT_TOOLS } from '../../../src/participant-tools/index.ts'
import { PRODUCT_TOOLS } from '../registry.ts'
import { placesIn } from './ranking.ts'

interface Prompt {
  endpoint: 'organizer' | 'participant'
  tool: string
  prompt: string
}

const PROMPTS = readFileSync(new URL('prompts.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Prompt)

/** What people say, four times for each tool, and how often the right tool comes first or among the first five. */
function findability(endpoint: Prompt['endpoint'], tools: readonly Pick<Tool, 'wire'>[]): { first: number; firstFive: number } {
  const names = new Set(tools.map(({ wire }) => wire.name))
  const prompts = PROMPTS.filter((one) => one.endpoint === endpoint && names.has(one.tool))
  const placeOf = placesIn(tools.map(({ wire }) => wire))
  const places = prompts.map(({ prompt, tool }) => placeOf(prompt, tool))
  const share = (upTo: number) => places.filter((place) => place <= upTo).length / places.length
  return { first: share(1), firstFive: share(5) }
}

/** They only rise: a tool that pushes others out of sight is described better before it is served. */
const FLOORS = { first: 0.84, firstFive: 0.96 }

const below = ({ first, firstFive }: typeof FLOORS) => [
  ...(first < FLOORS.first ? [`first for ${first.toFixed(3)} of the prompts, not ${FLOORS.first}`] : []),
  ...(firstFive < FLOORS.firstFive ? [`among five for ${firstFive.toFixed(3)} of the prompts, not ${FLOORS.firstFive}`] : []),
]

describe('the tools that are served', () => {
  it('are found by people’s own words', () => {
    expect(below(findability('organizer', PRODUCT_TOOLS))).toEqual([])
    if (PARTICIPANT_TOOLS.length > 0) expect(below(findability('participant', PARTICIPANT_TOOLS))).toEqual([])
  })

  it('each have prompts of their own', () => {
    const prompted = new Set(PROMPTS.map(({ tool }) => tool))
    expect([...PRODUCT_TOOLS, ...PARTICIPANT_TOOLS].map(({ name }) => name).filter((name) => !prompted.has(name))).toEqual([])
  })

  it('would be reported when their descriptions said nothing', () => {
    const silent = PRODUCT_TOOLS.map((tool) => ({ wire: { ...tool.wire, title: '', description: '' } }))
    expect(below(findability('organizer', silent))).toHaveLength(2)
  })
})
