import { preconditionFailed } from '../../../kernel/errors.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { EventSnapshot } from '../event-snapshot.ts'

/** Throws unless the flow is open: not retired, and between `opensAt` and `closesAt`. */
export function assertFlowOpen({ name, opensAt, closesAt, retired }: Flow, { at }: Pick<EventSnapshot, 'at'>): void {
  if (retired) throw preconditionFailed(`${name} is no longer open`)
  if (opensAt !== null && at.getTime() < Date.parse(opensAt)) throw preconditionFailed(`${name} opens at ${opensAt}`)
  if (closesAt !== null && at.getTime() >= Date.parse(closesAt)) throw preconditionFailed(`${name} closed at ${closesAt}`)
}
