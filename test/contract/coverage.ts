import type { Tool } from '../../src/kernel/tool.ts'
import { listIdArguments } from './id-arguments.ts'
import type { Arguments } from './stage.ts'

/** The contract checks run on examples, so an action or id argument without an example is not checked. */
export function findCoverageProblems(tool: Tool, given: readonly Arguments[]): string[] {
  const actions = tool.shape.properties?.action?.allowed ?? []
  const missing = actions.filter((action) => !given.some((args) => args.action === action))
  const ids = listIdArguments(tool).filter(({ read }) => !given.some((args) => read(args) !== undefined))
  return [
    ...missing.map((action) => `${tool.name} has no example of the action ${action}`),
    ...ids.map(({ path }) => `${tool.name} has no example with ${path.join('/')}`),
  ]
}
