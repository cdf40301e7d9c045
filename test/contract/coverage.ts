import type { Tool } from '../../src/kernel/tool.ts'
import { idArgumentsOf } from './id-arguments.ts'
import type { Arguments } from './stage.ts'

/** What no example uses is covered by no test that lives on examples. */
export function problemsOfCoverage(tool: Tool, given: readonly Arguments[]): string[] {
  const actions = tool.shape.properties?.action?.allowed ?? []
  const missing = actions.filter((action) => !given.some((args) => args.action === action))
  const ids = idArgumentsOf(tool).filter(({ read }) => !given.some((args) => read(args) !== undefined))
  return [
    ...missing.map((action) => `${tool.name} has no example of the action ${action}`),
    ...ids.map(({ path }) => `${tool.name} has no example with ${path.join('/')}`),
  ]
}
