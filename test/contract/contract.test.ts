import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LISTS } from './registry.ts'

const folder = new URL('toolsets/', import.meta.url)

interface ContractFile {
  list: string
  text: string
}

/** A list without its file would be held to nothing, and a file that names another list would hold that one twice. */
function problemsOfLists(lists: readonly string[], files: readonly ContractFile[]): string[] {
  return [
    ...lists.filter((list) => !files.some((file) => file.list === list)).map((list) => `${list} has no file in test/contract/toolsets`),
    ...files.filter(({ list }) => !lists.includes(list)).map(({ list }) => `${list}.test.ts is for no list`),
    ...files.filter(({ list, text }) => !text.includes(`contractOf('${list}'`)).map(({ list }) => `${list}.test.ts holds another list`),
  ]
}

describe('every list of tools', () => {
  it('is held to the contract by a file of its own', () => {
    const files = readdirSync(folder).map((name) => ({
      list: name.replace('.test.ts', ''),
      text: readFileSync(new URL(name, folder), 'utf8'),
    }))
    expect(problemsOfLists([...LISTS.keys()], files)).toEqual([])
  })

  it('would be missed', () => {
    const files = [
      { list: 'clients', text: `contractOf('events')` },
      { list: 'gone', text: `contractOf('gone')` },
    ]
    expect(problemsOfLists(['clients', 'events'], files)).toEqual([
      'events has no file in test/contract/toolsets',
      'gone.test.ts is for no list',
      'clients.test.ts holds another list',
    ])
  })
})
