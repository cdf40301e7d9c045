import { setTimeout as wait } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
} from '@modelcontextprotocol/server'
import type { McpProtocolTool } from '../../src/surfaces/mcp/views.ts'

/** The tools that the MCP conformance suites require, with the names and results they expect. Served in tests only. */

const raw = (name: string, description: string, respond: McpProtocolTool['respond']): McpProtocolTool => ({
  wire: { name, description, inputSchema: { type: 'object', properties: {} } },
  respond,
})

const fixed = (name: string, description: string, content: CallToolResult['content']): McpProtocolTool =>
  raw(name, description, () => Promise.resolve({ content }))

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** A WAV file without samples. */
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

const image = { type: 'image', data: ONE_PIXEL, mimeType: 'image/png' } as const

/** A pause between notifications, long enough that a client receives them separately. */
const PAUSE_MS = 50

const progress = raw('test_tool_with_progress', 'Reports its progress, if the caller wants to know.', async (_args, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken
  for (const done of [0, 50, 100]) {
    if (done > 0) await wait(PAUSE_MS)
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: done, total: 100 } })
  }
  return said('Done, in three steps.')
})

const logging = (name: string) =>
  raw(name, 'Writes three log messages, if the caller wants to read them.', async (_args, { mcpReq }) => {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', message)
      await wait(PAUSE_MS)
    }
    return said('Done, and logged.')
  })

const missingCapability = raw(
  'test_missing_capability',
  'Works only for callers that offer sampling.',
  (_args, { mcpReq }): Promise<CallToolResult> => {
    const offered = (mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
    if (!offered?.sampling) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return Promise.resolve(said('This caller offers sampling.'))
  },
)

/** Since protocol revision 2026-07-28 a server must not send requests to its client on a response stream. */
const elicitation = raw('test_streaming_elicitation', 'Tries to ask the caller something in between.', async (_args, { mcpReq }) => {
  if (!mcpReq.envelope) return said('Only callers of 2026-07-28 are asked.')
  try {
    await mcpReq.elicitInput({ message: 'May I?', requestedSchema: { type: 'object', properties: {} } })
    return said('Asked.')
  } catch {
    return said('Not asked: it is not allowed.')
  }
})

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the word is JSON Schema's own
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

export const CONFORMANCE_TOOLS: readonly McpProtocolTool[] = [
  fixed('test_simple_text', 'Answers with a text.', said('This is a simple text response for testing.').content),
  fixed('test_image_content', 'Answers with an image.', [image]),
  fixed('test_audio_content', 'Answers with a sound.', [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }]),
  fixed('test_embedded_resource', 'Answers with a resource.', [
    {
      type: 'resource',
      resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
    },
  ]),
  fixed('test_multiple_content_types', 'Answers with a text, an image and a resource.', [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    {
      type: 'resource',
      resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
    },
  ]),
  raw('test_error_handling', 'Always fails.', () =>
    Promise.resolve({ ...said('This tool intentionally returns an error for testing'), isError: true }),
  ),
  progress,
  logging('test_tool_with_logging'),
  logging('test_logging_tool'),
  missingCapability,
  elicitation,
  {
    wire: { name: 'json_schema_2020_12_tool', description: 'Tool with JSON Schema 2020-12 features', inputSchema: SCHEMA },
    respond: () => Promise.resolve(said('Its schema is what it is about.')),
  },
]
