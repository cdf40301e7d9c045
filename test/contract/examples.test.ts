import { describe, expect, it } from 'vitest'
import { oneOf } from '../../src/kernel/args.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { problemsOfCoverage } from './coverage.ts'
import { EXAMPLES, type Examples, examplesOf } from './examples.ts'
import { plantedTool } from './planted.ts'
import { LISTS } from './registry.ts'

const planted = plantedTool({ permission: 'events.read', input: { action: oneOf(['prune', 'graft']) } })

const problemsOfNames = (tools: readonly Tool[], examples: Examples): string[] =>
  Object.keys(examples)
    .filter((name) => !tools.some((tool) => tool.name === name))
    .map((name) => `${name} has an example and is no tool`)

describe('the examples', () => {
  it('are of tools', () => {
    expect(problemsOfNames([...LISTS.values()].flat(), EXAMPLES)).toEqual([])
    expect(problemsOfNames([], { gone_tool: () => ({}) })).toEqual(['gone_tool has an example and is no tool'])
  })

  it('are missed with the place where to add them', () => {
    expect(() => examplesOf(planted)).toThrow('planted_tool has no example: add one to EXAMPLES in test/contract/examples.ts')
  })

  it('would be reported when they leave something out', () => {
    expect(problemsOfCoverage(planted, [{ action: 'prune' }])).toEqual(['planted_tool has no example of the action graft'])
    const getNote = fixtureToolset.tools.find(({ name }) => name === 'fixture_get_note')!
    expect(problemsOfCoverage(getNote, [{}])).toEqual(['fixture_get_note has no example with noteId'])
  })
})
