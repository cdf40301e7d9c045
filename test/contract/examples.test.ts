import { describe, expect, it } from 'vitest'
import { oneOf } from '../../src/kernel/args.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { findCoverageProblems } from './coverage.ts'
import { EXAMPLES, type Examples, getExamples } from './examples.ts'
import { plantedTool } from './planted-tools.ts'
import { CHECKED_TOOLSETS } from './registry.ts'

const planted = plantedTool({ permission: 'events.read', input: { action: oneOf(['prune', 'graft']) } })

const findUnknownToolNames = (tools: readonly Tool[], examples: Examples): string[] =>
  Object.keys(examples)
    .filter((name) => !tools.some((tool) => tool.name === name))
    .map((name) => `${name} has an example but is not a tool`)

describe('tool examples', () => {
  it('defines example calls only for existing tools', () => {
    expect(findUnknownToolNames([...CHECKED_TOOLSETS.values()].flat(), EXAMPLES)).toEqual([])
    expect(findUnknownToolNames([], { gone_tool: () => ({}) })).toEqual(['gone_tool has an example but is not a tool'])
  })

  it('reports a tool without an example call, and the file in which to add one', () => {
    expect(() => getExamples(planted)).toThrow('planted_tool has no example: add one to EXAMPLES in test/contract/examples.ts')
  })

  it('reports an action or id argument that no example call uses', () => {
    expect(findCoverageProblems(planted, [{ action: 'prune' }])).toEqual(['planted_tool has no example of the action graft'])
    const getNote = fixtureToolset.tools.find(({ name }) => name === 'fixture_get_note')!
    expect(findCoverageProblems(getNote, [{}])).toEqual(['fixture_get_note has no example with noteId'])
  })
})
