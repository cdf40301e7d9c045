import { preconditionFailed } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { Scene } from './scene.ts'

/** A flow is open between its two moments, while it is not retired. */
export function refuseClosed({ name, opensAt, closesAt, retired }: Flow, { at }: Pick<Scene, 'at'>): void {
  if (retired) throw preconditionFailed(`${name} is no longer open`)
  if (opensAt !== null && at.getTime() < Date.parse(opensAt)) throw preconditionFailed(`${name} opens at ${opensAt}`)
  if (closesAt !== null && at.getTime() >= Date.parse(closesAt)) throw preconditionFailed(`${name} closed at ${closesAt}`)
}
