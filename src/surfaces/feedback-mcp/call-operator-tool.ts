import type { Db } from '../../kernel/columns.ts'
import type { Actor, OperatorContext } from '../../kernel/context.ts'
import { transactWithTimeLimit } from '../../kernel/commit-change.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { AppServices } from '../services.ts'
import { type CallArguments, decodeArguments } from '../mcp/decode-arguments.ts'
import type { CallOutcome } from '../mcp/outcome.ts'
import { toCallerError } from '../mcp/caller-error.ts'
import { buildCursorScope, runTool } from '../mcp/run-tool.ts'
import { shapeResult } from '../mcp/shape-result.ts'
import { SERVER_INFO } from '../mcp/views.ts'

/** All operators share one token, so changes are recorded under one name; the person who made the call is unknown. */
const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'operator', app: { id: null, name: 'feedback tracker' } }

/**
 * Runs a tool call of an operator. The operator token grants everything, so no permission is checked. No audit entry is written, because
 * the audit log belongs to tenants; the notes of the feedback record its changes.
 */
export async function callOperatorTool(services: AppServices, tool: Tool, sent: CallArguments): Promise<CallOutcome> {
  try {
    const input = decodeArguments(tool, sent)
    const answerOn = async (db: Db): Promise<CallOutcome> => {
      const ctx: OperatorContext = {
        actor: OPERATOR,
        db,
        keys: services.keys,
        cursorScope: buildCursorScope(OPERATOR, tool, input),
        appVersion: SERVER_INFO.version,
      }
      return { kind: 'result', ...shapeResult(tool, await runTool(tool, ctx, input)), pictures: [] }
    }
    return tool.effect === 'read'
      ? await answerOn(services.database.read)
      : await transactWithTimeLimit(services.database, { name: tool.name }, answerOn)
  } catch (error) {
    return { kind: 'error', error: toCallerError(services, { tool: tool.name }, error) }
  }
}
