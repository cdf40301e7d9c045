import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { permissionsOf } from '../../src/kernel/permissions.ts'
import { type Tool, type Toolset, toolset } from '../../src/kernel/tool.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { createToolListCache } from '../../src/surfaces/mcp/views.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { NON_EMPTY_TOOLSETS } from '../../src/kernel/served-toolsets.ts'
import { plantedTool } from './planted-tools.ts'
import { SPECIFIED_PARTICIPANT_TOOLS, SPECIFIED_TOOLSETS, type SpecifiedTool } from './specified-tools.ts'

/** The built tools may be a subset of the specified ones, but not different ones and not in another order. */
function findOrderProblems(where: string, tools: readonly Tool[], specified: readonly SpecifiedTool[]): string[] {
  const problems: string[] = []
  let last = -1
  for (const { name, effect } of tools) {
    const at = specified.findIndex(([wanted]) => wanted === name)
    if (at < 0) problems.push(`${where}: ${name} is not specified here`)
    else if (at <= last) problems.push(`${where}: ${name} comes after a tool that it should precede`)
    else if (specified[at]![1] !== effect) problems.push(`${where}: ${name} is declared ${effect}, specified ${specified[at]![1]}`)
    last = Math.max(last, at)
  }
  return problems
}

interface ToolFile {
  file: string
  exports: Record<string, unknown>
}

/** One tool per file, named after the tool, and every file in the index: otherwise a written tool could silently not be served. */
function findFileProblems(where: string, files: readonly ToolFile[], tools: readonly Tool[]): string[] {
  const found = files.flatMap(({ file, exports }) => {
    const { default: tool, ...others } = exports as { default?: Tool }
    if (!tool) return [`${where}/${file} has no default export`]
    return [
      ...Object.keys(others).map((name) => `${where}/${file} exports ${name} beside its tool`),
      ...(file === `${tool.name.replaceAll('_', '-')}.ts` ? [] : [`${where}/${file} holds ${tool.name}`]),
      ...(tools.includes(tool) ? [] : [`${where}/${file} is not in ${where}/index.ts`]),
    ]
  })
  const written = new Set(files.map(({ exports }) => exports.default))
  return [...found, ...tools.filter((tool) => !written.has(tool)).map(({ name }) => `${where}: ${name} has no file of its own`)]
}

const src = new URL('../../src/', import.meta.url)

async function toolFilesOf(folder: string): Promise<ToolFile[]> {
  const entries = readdirSync(new URL(folder, src), { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'index.ts').map((entry) => entry.name)
  return Promise.all(
    files.map(async (file) => ({
      file,
      exports: { ...((await import(fileURLToPath(new URL(`${folder}/${file}`, src)))) as Record<string, unknown>) },
    })),
  )
}

const foldersOf = (path: string) =>
  readdirSync(new URL(path, src), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'tests')
    .map((entry) => entry.name)

/** Assistants are instructed to start with this tool, so it leads every list, also if its toolset was not chosen. */
function findFirstToolProblems(toolsets: readonly Toolset[], first: string): string[] {
  const viewFor = createToolListCache(toolsets)
  return [null, ...toolsets.map(({ name }) => [name])].flatMap((chosen) => {
    const listed = viewFor(chosen, permissionsOf(['admin'])).list.map(({ name }) => name)
    return listed[0] === first ? [] : [`${first} does not lead the list of ${chosen?.join() ?? 'everything'}`]
  })
}

describe('registered tools', () => {
  it('registers the tools in the sequence, toolsets and effects of the specification', () => {
    expect(ALL_TOOLSETS.map(({ name }) => name)).toEqual(Object.keys(SPECIFIED_TOOLSETS))
    expect(
      ALL_TOOLSETS.flatMap(({ name, tools }) =>
        findOrderProblems(name, tools, SPECIFIED_TOOLSETS[name as keyof typeof SPECIFIED_TOOLSETS]),
      ),
    ).toEqual([])
    expect(findOrderProblems('participant', PARTICIPANT_TOOLS, SPECIFIED_PARTICIPANT_TOOLS)).toEqual([])
  })

  it('reports a tool at another position, with another effect or in another toolset than specified', () => {
    const named = (name: string) => plantedTool({ name })
    expect(
      findOrderProblems(
        'clients',
        [named('list_events'), named('list_clients'), named('create_event'), named('get_booth')],
        SPECIFIED_TOOLSETS.clients,
      ),
    ).toEqual([
      'clients: list_clients comes after a tool that it should precede',
      'clients: create_event is declared read, specified change',
      'clients: get_booth is not specified here',
    ])
    expect(findOrderProblems('clients', [named('list_clients'), named('list_clients')], SPECIFIED_TOOLSETS.clients)).toHaveLength(1)
  })

  it('defines each tool in one file, named after the tool, in the folder of its toolset', async () => {
    const folders = foldersOf('toolsets')
    expect(folders.filter((folder) => !Object.hasOwn(SPECIFIED_TOOLSETS, folder))).toEqual([])
    for (const { name, tools } of ALL_TOOLSETS) {
      const files = folders.includes(name) ? await toolFilesOf(`toolsets/${name}`) : []
      expect(findFileProblems(`toolsets/${name}`, files, tools)).toEqual([])
    }
    expect(findFileProblems('participant-tools', await toolFilesOf('participant-tools'), PARTICIPANT_TOOLS)).toEqual([])
  })

  it('reports a wrong tool file name, a second export, a file missing from the index, and a tool without a file', () => {
    const [served, orphan, fileless] = [plantedTool(), plantedTool(), plantedTool({ name: 'other_tool' })]
    const files = [
      { file: 'planted-tool.ts', exports: { default: served, more: 1 } },
      { file: 'plantedTool.ts', exports: { default: orphan } },
      { file: 'empty.ts', exports: {} },
    ]
    expect(findFileProblems('x', files, [served, fileless])).toEqual([
      'x/planted-tool.ts exports more beside its tool',
      'x/plantedTool.ts holds planted_tool',
      'x/plantedTool.ts is not in x/index.ts',
      'x/empty.ts has no default export',
      'x: other_tool has no file of its own',
    ])
  })

  it('lists list_my_events first in every toolset selection', () => {
    expect(findFirstToolProblems(ALL_TOOLSETS, 'list_my_events')).toEqual([])
    expect(findFirstToolProblems([toolset('events', [plantedTool()])], 'list_my_events')).toEqual([
      'list_my_events does not lead the list of everything',
      'list_my_events does not lead the list of events',
    ])
  })
})

describe('toolsets offered to clients', () => {
  it('offers exactly the toolsets that contain tools', () => {
    expect(NON_EMPTY_TOOLSETS).toEqual(ALL_TOOLSETS.filter(({ tools }) => tools.length > 0).map(({ name }) => name))
  })
})
