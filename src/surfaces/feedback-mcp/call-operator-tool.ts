import type { Db } from '../../kernel/columns.ts'
import type { Actor, OperatorContext } from '../../kernel/context.ts'
import { transactWithTimeLimit } from '../../kernel/commit-change.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { AppServices } from '../services.ts'
import { type CallArguments, decodeToolArguments } from '../mcp/decode-arguments.ts'
import type { ToolCallOutcome } from '../mcp/outcome.ts'
import { toCallerError } from '../mcp/caller-error.ts'
import { buildPageCursorScope, runTool } from '../mcp/run-tool.ts'
import { validateToolResult } from '../mcp/shape-result.ts'
import { SERVER_INFO } from '../mcp/views.ts'

/** All operators share one token, so changes are recorded under one name; the person who made the call is unknown. */
const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'operator', app: { id: null, name: 'feedback tracker' } }

/**
 * Runs a tool call of an operator. The operator token grants everything, so no permission is checked. No audit entry is written, because
 * the audit log belongs to tenants; the notes of the feedback record its changes.
 */
export async function callOperatorTool(services: AppServices, tool: Tool, sent: CallArguments): Promise<ToolCallOutcome> {
  try {
    const input = decodeToolArguments(tool, sent)
    const answerOn = async (db: Db): Promise<ToolCallOutcome> => {
      const ctx: OperatorContext = {
        actor: OPERATOR,
        db,
        keys: services.keys,
        cursorScope: buildPageCursorScope(OPERATOR, tool, input),
        appVersion: SERVER_INFO.version,
      }
      return { kind: 'result', ...validateToolResult(tool, await runTool(tool, ctx, input)), pictures: [] }
    }
    return tool.effect === 'read'
      ? await answerOn(services.database.read)
      : await transactWithTimeLimit(services.database, { name: tool.name }, answerOn)
  } catch (error) {
    return { kind: 'error', error: toCallerError(services, { tool: tool.name }, error) }
  }
}
