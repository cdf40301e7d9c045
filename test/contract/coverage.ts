import type { Tool } from '../../src/kernel/tool.ts'
import { type Examples, examplesOf } from './examples.ts'
import { idArgumentsOf } from './id-arguments.ts'
import type { Stage } from './stage.ts'

/** What no example uses is covered by no test that lives on examples. */
export async function problemsOfCoverage(stage: Stage, tools: readonly Tool[], examples: Examples): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const given: object[] = []
    for (const example of examplesOf(tool, examples)) given.push(await example(stage))
    const actions = tool.shape.properties?.action?.allowed ?? []
    const missing = actions.filter((action) => !given.some((args) => 'action' in args && args.action === action))
    const ids = idArgumentsOf(tool).filter(({ read }) => !given.some((args) => read(args) !== undefined))
    problems.push(
      ...missing.map((action) => `${tool.name} has no example of the action ${action}`),
      ...ids.map(({ path }) => `${tool.name} has no example with ${path.join('/')}`),
    )
  }
  return problems
}
