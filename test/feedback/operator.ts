import { type NewFeedback, recordFeedback } from '../../src/domains/feedback/record.ts'
import { FEEDBACK_PATH, buildLegacyMessage, postMessage, toolCallParams } from '../support/rpc.ts'
import type { Served } from '../support/server.ts'
import type { ToolRefusal, ToolAnswer, World } from '../support/world.ts'

export const OPERATOR_TOKEN = 'operator-token-of-at-least-32-characters'
export const OPERATOR_ENV = { LANYARD_OPERATOR_TOKEN: OPERATOR_TOKEN }

/** Calls the feedback tools over HTTP with the operator token. */
export function operatorAt(served: Served) {
  const answer = async (name: string, args: object = {}): Promise<ToolAnswer> => {
    const { json } = await postMessage(served, OPERATOR_TOKEN, buildLegacyMessage('tools/call', toolCallParams(name, args)), FEEDBACK_PATH)
    return json.result as ToolAnswer
  }
  return {
    answer,
    async call(name: string, args: object = {}): Promise<any> {
      const result = await answer(name, args)
      if (result.isError) throw new Error(`${name} was refused: ${result.content[0]?.text}`)
      return result.structuredContent
    },
    async refused(name: string, args: object = {}): Promise<ToolRefusal> {
      const result = await answer(name, args)
      if (!result.isError) throw new Error(`${name} was not refused: ${result.content[0]?.text}`)
      return { ...(result._meta!['lanyard/error'] as ToolRefusal), text: result.content[0]!.text! }
    },
  }
}

/** Inserts feedback with the columns that a test needs. */
export const feedbackWriterIn = (world: World) => ({
  said: (text: string, more: Partial<NewFeedback> = {}) =>
    recordFeedback(world.database.write, { source: 'console', kind: 'bug', text, appVersion: '0.1.0', ...more }),
  set: (id: string, columns: string) => world.database.pool.query(`update feedback set ${columns} where id = $1`, [id]),
})
