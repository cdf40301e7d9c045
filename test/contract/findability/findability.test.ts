import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { PARTICIPANT_TOOLS } from '../../../src/participant-tools/index.ts'
import { PRODUCT_TOOLS } from '../registry.ts'
import { rankTools } from './ranking.ts'

interface Prompt {
  endpoint: 'organizer' | 'participant'
  tool: string
  prompt: string
}

const PROMPTS = readFileSync(new URL('prompts.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Prompt)

/** Ranks each tool for four prompts in users' own words, and returns how often it is first or among the first five. */
function findability(endpoint: Prompt['endpoint'], tools: readonly Pick<Tool, 'wire'>[]): { first: number; firstFive: number } {
  const names = new Set(tools.map(({ wire }) => wire.name))
  const prompts = PROMPTS.filter((one) => one.endpoint === endpoint && names.has(one.tool))
  const placeOf = rankTools(tools.map(({ wire }) => wire))
  const places = prompts.map(({ prompt, tool }) => placeOf(prompt, tool))
  const share = (upTo: number) => places.filter((place) => place <= upTo).length / places.length
  return { first: share(1), firstFive: share(5) }
}

/**
 * Minimum shares of prompts for which the tool is ranked first or among the first five. Never lower them: if a new tool pushes others
 * down, improve its description.
 */
const FLOORS = { first: 0.84, firstFive: 0.96 }

const below = ({ first, firstFive }: typeof FLOORS) => [
  ...(first < FLOORS.first ? [`first for ${first.toFixed(3)} of the prompts, below ${FLOORS.first}`] : []),
  ...(firstFive < FLOORS.firstFive ? [`among five for ${firstFive.toFixed(3)} of the prompts, below ${FLOORS.firstFive}`] : []),
]

describe('search for tools by prompts', () => {
  it('finds every served tool by prompts in users’ own words', () => {
    expect(below(findability('organizer', PRODUCT_TOOLS))).toEqual([])
    if (PARTICIPANT_TOOLS.length > 0) expect(below(findability('participant', PARTICIPANT_TOOLS))).toEqual([])
  })

  it('has a test prompt for every served tool', () => {
    const prompted = new Set(PROMPTS.map(({ tool }) => tool))
    expect([...PRODUCT_TOOLS, ...PARTICIPANT_TOOLS].map(({ name }) => name).filter((name) => !prompted.has(name))).toEqual([])
  })

  it('control: gives some tools with empty descriptions a low search rank', () => {
    const undescribed = PRODUCT_TOOLS.map((tool) => ({ wire: { ...tool.wire, title: '', description: '' } }))
    expect(below(findability('organizer', undescribed))).toHaveLength(2)
  })
})
