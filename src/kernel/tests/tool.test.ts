import { describe, expect, it } from 'vitest'
import { text } from '../args.ts'
import { personTool, registrantTool, signInTool } from '../participant-tool.ts'
import { accountTool, clientTool, eventTool } from '../tool.ts'

const declared = {
  name: 'do_something',
  title: 'Do something',
  description: 'Does something.',
  effect: 'destructive' as const,
  input: { note: text(10).optional() },
  output: { done: text(10) },
  run: () => Promise.resolve({ done: 'yes' }),
}
const organizers = { ...declared, permission: 'events.write' as const }

const argumentsOf = (tool: { wire: { inputSchema: { properties?: object } } }) => Object.keys(tool.wire.inputSchema.properties ?? {})

describe('tool declarations', () => {
  it("accepts the client and event codes of a call, but passes only declared arguments to the tool's function", () => {
    expect(argumentsOf(eventTool(organizers))).toEqual(['eventCode', 'clientCode', 'note', 'dryRun', 'confirmToken'])
    expect(argumentsOf(clientTool(organizers))).toEqual(['clientCode', 'note', 'dryRun', 'confirmToken'])
    expect(argumentsOf(accountTool(organizers))).toEqual(['note', 'dryRun', 'confirmToken'])
    expect(eventTool(organizers).ownArguments).toEqual(['note'])
    expect(eventTool(organizers).wire.inputSchema.required).toEqual(['eventCode'])
  })

  it('gives participant tools no argument confirmToken, and the argument dryRun only where declared', () => {
    expect(argumentsOf(signInTool(declared))).toEqual(['tenantCode', 'clientCode', 'eventCode', 'note'])
    expect(argumentsOf(personTool(declared))).toEqual(['note'])
    expect(argumentsOf(registrantTool({ ...declared, dryRun: true }))).toEqual(['participantId', 'note', 'dryRun'])
    expect(registrantTool(declared)).toMatchObject({ scope: 'registrant', permissions: [] })
  })

  it('derives the annotations of a tool from its effect', () => {
    const hints = (effect: 'read' | 'change' | 'destructive') => eventTool({ ...organizers, effect }).wire.annotations
    expect(hints('read')).toEqual({
      title: 'Do something',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(hints('change')).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false })
    expect(hints('destructive')).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  })
})
