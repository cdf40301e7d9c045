import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CHECKED_TOOLSETS } from './registry.ts'

const folder = new URL('toolsets/', import.meta.url)

interface ContractFile {
  list: string
  text: string
}

/**
 * Every toolset needs exactly one file that runs its contract checks: without one it is never checked, and a file that names another
 * toolset checks that one twice.
 */
function findListProblems(lists: readonly string[], files: readonly ContractFile[]): string[] {
  return [
    ...lists.filter((list) => !files.some((file) => file.list === list)).map((list) => `${list} has no file in test/contract/toolsets`),
    ...files.filter(({ list }) => !lists.includes(list)).map(({ list }) => `${list}.test.ts matches no toolset`),
    ...files
      .filter(({ list, text }) => !text.includes(`describeContract('${list}'`))
      .map(({ list }) => `${list}.test.ts checks another toolset`),
  ]
}

describe('contract test files', () => {
  it('covers every toolset with one contract test file', () => {
    const files = readdirSync(folder).map((name) => ({
      list: name.replace('.test.ts', ''),
      text: readFileSync(new URL(name, folder), 'utf8'),
    }))
    expect(findListProblems([...CHECKED_TOOLSETS.keys()], files)).toEqual([])
  })

  it('reports a missing contract test file, a file for an unknown toolset and a file that checks another toolset', () => {
    const files = [
      { list: 'clients', text: `describeContract('events')` },
      { list: 'gone', text: `describeContract('gone')` },
    ]
    expect(findListProblems(['clients', 'events'], files)).toEqual([
      'events has no file in test/contract/toolsets',
      'gone.test.ts matches no toolset',
      'clients.test.ts checks another toolset',
    ])
  })
})
