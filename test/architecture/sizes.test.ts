import { describe, expect, it } from 'vitest'
import { readSources, type Source } from './sources.ts'

const MAX_LINES = 400
const MAX_TOOL_LINES = 60

const isTool = (path: string) =>
  /^src\/(toolsets\/[^/]+|participant-tools|feedback-tools)\/[^/]+\.ts$/.test(path) && !path.endsWith('/index.ts')

/**
 * A source file above the limit covers two subjects and must be split; a tool file above the limit contains domain logic. There are no
 * exceptions.
 */
function findSizeProblems(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length
    const most = isTool(path) ? MAX_TOOL_LINES : MAX_LINES
    return lines > most ? [`${path} has ${lines} lines, more than ${most}`] : []
  })
}

const GENERIC_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc'])

/** Finds generic file names such as utils, helpers and common, which attract unrelated code. */
function findNameProblems(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const words = path.split(/[/.-]/)
    return words.filter((word) => GENERIC_NAMES.has(word.toLowerCase())).map((word) => `${path} is named ${word}`)
  })
}

const file = (path: string, lines: number): Source => ({ path, text: 'x\n'.repeat(lines) })

describe('sizes and names of source files', () => {
  it('limits source files to 400 lines and tool files to 60 lines', () => {
    expect(findSizeProblems(readSources())).toEqual([])
    const planted = [
      file('src/domains/housing/blocks.ts', 401),
      file('src/toolsets/housing/find-hotel.ts', 61),
      file('src/participant-tools/get-hotel-list.ts', 61),
    ]
    expect(findSizeProblems(planted)).toEqual([
      'src/domains/housing/blocks.ts has 401 lines, more than 400',
      'src/toolsets/housing/find-hotel.ts has 61 lines, more than 60',
      'src/participant-tools/get-hotel-list.ts has 61 lines, more than 60',
    ])
    expect(findSizeProblems([file('src/kernel/tool.ts', 400), file('src/toolsets/housing/index.ts', 61)])).toEqual([])
  })

  it('rejects generic file names such as utils, helpers or common', () => {
    expect(findNameProblems(readSources().map(({ path }) => path))).toEqual([])
    expect(findNameProblems(['src/kernel/utils/text.ts', 'src/domains/housing/block-helpers.ts', 'src/kernel/common.ts'])).toEqual([
      'src/kernel/utils/text.ts is named utils',
      'src/domains/housing/block-helpers.ts is named helpers',
      'src/kernel/common.ts is named common',
    ])
  })
})
