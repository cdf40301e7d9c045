import type { Db } from '../../kernel/columns.ts'
import type { Actor, OperatorContext } from '../../kernel/context.ts'
import { transactInTime } from '../../kernel/keep-change.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Road } from '../road.ts'
import { type Arguments, decodeArguments } from '../mcp/decode-arguments.ts'
import type { Outcome } from '../mcp/outcome.ts'
import { refusalOf } from '../mcp/refusal.ts'
import { cursorScopeOf, runTool } from '../mcp/run-tool.ts'
import { shapeResult } from '../mcp/shape-result.ts'
import { SERVER_INFO } from '../mcp/views.ts'

/** There is one token and so one name; who held it the tracker cannot know. */
const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'operator', app: { id: null, name: 'feedback tracker' } }

/**
 * The operator's road: what, run, check, commit. There is no place and no permission to decide, because the token opens the
 * whole of it, and no audit row, because the audit log belongs to tenants: the feedback's own notes tell what was changed.
 */
export async function callOperatorTool(road: Road, tool: Tool, sent: Arguments): Promise<Outcome> {
  try {
    const input = decodeArguments(tool, sent)
    const answerOn = async (db: Db): Promise<Outcome> => {
      const ctx: OperatorContext = {
        actor: OPERATOR,
        db,
        keys: road.keys,
        cursorScope: cursorScopeOf(OPERATOR, tool, input),
        appVersion: SERVER_INFO.version,
      }
      return { kind: 'result', ...shapeResult(tool, await runTool(tool, ctx, input)), pictures: [] }
    }
    return tool.effect === 'read' ? await answerOn(road.database.read) : await transactInTime(road.database, tool.name, answerOn)
  } catch (error) {
    return { kind: 'error', error: refusalOf(road, { tool: tool.name }, error) }
  }
}
