import type { EventContext } from '../../kernel/context.ts'
import type { RuleConditions } from './features/read-vectors.ts'
import type { ProfileRule } from './options.ts'

export async function compileRules(_ctx: EventContext, _rules: readonly ProfileRule[]): Promise<RuleConditions> {
  return []
}
