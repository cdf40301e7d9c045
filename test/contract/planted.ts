import type { z } from 'zod'
import type { AccountContext, ClientContext, Context, EventContext } from '../../src/kernel/context.ts'
import { accountTool, clientTool, type Declaration, eventTool, type Tool, type WireTool } from '../../src/kernel/tool.ts'

type Planted<C extends Context> = Declaration<C, z.ZodRawShape, z.ZodRawShape>

/** A tool that every check passes; a test changes one thing about it and must then see that thing reported. */
const faultless: Planted<Context> = {
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

export const plantedTool = (change: Partial<Planted<EventContext>> = {}): Tool => eventTool({ ...faultless, ...change })

export const plantedClientTool = (change: Partial<Planted<ClientContext>> = {}): Tool => clientTool({ ...faultless, ...change })

export const plantedAccountTool = (change: Partial<Planted<AccountContext>> = {}): Tool => accountTool({ ...faultless, ...change })

/** What could not be declared at all, put on the wire by hand. */
export const plantedWire = (change: Partial<WireTool>): Tool => {
  const tool = plantedTool()
  return { ...tool, wire: { ...tool.wire, ...change } }
}
