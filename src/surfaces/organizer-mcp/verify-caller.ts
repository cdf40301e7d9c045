import type { IncomingMessage } from 'node:http'
import { AppError } from '../../kernel/errors.ts'
import { permissionsOf, type Role, ROLES } from '../../kernel/permissions.ts'
import { hashToken } from '../../kernel/secrets.ts'
import type { Tool } from '../../kernel/tool.ts'
import {
  type Organizer,
  type SingleStatementToolCall,
  verifyOrganizer,
  verifyOrganizerAndRunCall,
} from '../../domains/access/verify-organizer.ts'
import { readEventCode } from '../mcp/call-tool.ts'
import { decodeToolArguments } from '../mcp/decode-arguments.ts'
import { parseToolCall } from '../mcp/fast-path.ts'
import type { AppServices } from '../services.ts'

type VerifyCaller = (request: IncomingMessage, token: string, message: object | null) => Promise<Organizer | null>

/** Maximum number of cached event ids. If the event id of a call is not cached, a separate SQL statement verifies the caller first. */
const MAX_PLACES = 10_000

/**
 * Verifies the caller of a request. If the called tool consists of one SQL statement, the same statement verifies the caller, which saves a
 * round trip and a commit. The event id is a guess from the token's last call with this event code, and the statement checks it.
 */
export function createCallerVerifier({ database, baseUrl }: AppServices, resource: string, tools: readonly Tool[]): VerifyCaller {
  const atOnce = new Map(tools.filter(({ prepareAtOnce }) => prepareAtOnce).map((tool) => [tool.name, tool]))
  const places = new Map<string, string>()

  const prepare = (
    request: IncomingMessage,
    message: object,
    eventId: string,
    tool: Tool,
    eventCode: string,
  ): SingleStatementToolCall | null => {
    // A query string may select toolsets that lack the called tool, so then the caller is verified first and the tool runs separately.
    const called = request.url?.includes('?') ? null : parseToolCall({ headers: request.headers, body: message })
    const input = called && decode(tool, called.args)
    if (!input || input['clientCode'] !== undefined) return null
    const run = tool.prepareAtOnce!({ eventId, baseUrl }, input as never)
    return run && { tool: tool.name, eventCode, eventId, roles: rolesFor(tool), run }
  }

  return async (request, token, message) => {
    const eventCode = readEventCode(message)
    const tool = message && eventCode !== null ? atOnce.get(readToolName(message) ?? '') : undefined
    if (!tool || !message || eventCode === null) return verifyOrganizer(database.pool, token, resource, eventCode)
    const key = `${hashToken(token).toString('base64')} ${eventCode}`
    const eventId = places.get(key)
    const call = eventId === undefined ? null : prepare(request, message, eventId, tool, eventCode)
    const organizer =
      (call && (await verifyOrganizerAndRunCall(database, token, resource, call).catch(rethrowUnlessUndone))) ??
      (await verifyOrganizer(database.pool, token, resource, eventCode))
    const [only, another] = organizer?.named?.events ?? []
    if (only && !another) {
      if (places.size >= MAX_PLACES) places.clear()
      places.set(key, only.event.id)
    }
    return organizer
  }
}

const readToolName = (message: object): string | undefined => {
  const { params } = message as { params?: { name?: unknown } | null }
  return typeof params?.name === 'string' ? params.name : undefined
}

/** Decodes the arguments of a call; null for invalid ones, which are reported after the caller is verified. */
function decode(tool: Tool, args: Record<string, unknown>): Record<string, unknown> | null {
  try {
    return decodeToolArguments(tool, args)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

const rolesFor = (tool: Tool): readonly Role[] =>
  ROLES.filter((role) => tool.permissions.every((permission) => permissionsOf([role]).has(permission)))

/**
 * Returns null if the database refused the statement, which has then changed nothing: the call runs as usual and reports the error.
 * Rethrows other errors, because after a lost connection the outcome is unknown.
 */
function rethrowUnlessUndone(error: unknown): null {
  if (error instanceof AppError || (error as { severity?: string } | null)?.severity === 'ERROR') return null
  throw error
}
