import type { z } from 'zod'
import type { AccountContext, ClientContext, Context, EventContext } from '../../src/kernel/context.ts'
import { accountTool, clientTool, type ToolDeclaration, eventTool, type Tool, type ListedTool } from '../../src/kernel/tool.ts'

type Planted<C extends Context> = ToolDeclaration<C, z.ZodRawShape, z.ZodRawShape>

/** A tool that passes every check. A test changes one property and expects that problem to be reported. */
const VALID_TOOL: Planted<Context> = {
  name: 'planted_tool',
  title: 'Planted tool',
  description:
    'Do something small (a trifle) at an event, for the sake of a test. Use when a check should have something to look at. Not for anything else (use list_my_events). Has no side effect. Returns nothing at all.',
  effect: 'read',
  permission: null,
  input: {},
  output: {},
  run: () => Promise.resolve({}),
}

export const plantedTool = (change: Partial<Planted<EventContext>> = {}): Tool => eventTool({ ...VALID_TOOL, ...change })

export const plantedClientTool = (change: Partial<Planted<ClientContext>> = {}): Tool => clientTool({ ...VALID_TOOL, ...change })

export const plantedAccountTool = (change: Partial<Planted<AccountContext>> = {}): Tool => accountTool({ ...VALID_TOOL, ...change })

/** Changes the tool's wire form (its MCP definition as clients see it) directly, for faults that a declaration cannot express. */
export const plantedWire = (change: Partial<ListedTool>): Tool => {
  const tool = plantedTool()
  return { ...tool, wire: { ...tool.wire, ...change } }
}
